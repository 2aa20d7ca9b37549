"""The store: all SQL, migrations, transactions."""
