"""Plain values of the domain, the clock and the ids: no I/O, no dependencies."""
