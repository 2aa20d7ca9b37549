"""The commands, one module for each group of them, imported when one of its commands is called."""
