"""The ledger: facts, read by parser from files and episodes, and the graph between them."""
