"""Benchmarks that run the product itself on public questions. Their data is never part of the product."""
