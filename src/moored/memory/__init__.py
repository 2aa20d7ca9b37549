"""`Memory`: the one object that every edge talks to, and `open_memory`, which makes it."""

from moored.memory.opening import Memory, open_memory

__all__ = ["Memory", "open_memory"]
