"""Hand-made edits in every language, each with the verdict that a note must get. `python -m bench edits` runs them.

One TOML file per language says what is edited, `sources/` holds the files before the edit; bench/README.md tells the
format. The edits serve as a benchmark and, through tests/bench, as a test.
"""
