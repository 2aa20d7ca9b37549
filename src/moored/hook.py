"""The command `moored-hook`: the whole of what runs when a host calls."""
