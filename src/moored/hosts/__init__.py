"""The hosts that moored runs beside: one module each, which reads what the host sends and shapes what it is answered.

All of it is on the hot path of the hooks: nothing here imports more than the standard library.
"""
