"""Measurements of the product on real code, on hand-made edits, and against the clock. See bench/README.md."""
