"""Profiles: preferences and beliefs as notes, learned by rule from what users say and run (A-13)."""
