"""One module for each family of languages: its node kinds as data, and how its symbols and references are read."""
