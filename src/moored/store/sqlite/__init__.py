"""The SQLite store: one file, write-ahead log, through apsw."""
