"""Seeding: the first notes of a project, read from its structure, documents, configuration and history."""
