"""The one selector that every surface reads through."""
