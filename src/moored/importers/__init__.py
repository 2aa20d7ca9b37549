"""Importers: what happened before moored was there, brought into the record as undoable operations."""
