"""Vectors for texts: the embedder port and the offline default."""
