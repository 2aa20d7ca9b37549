"""Taking what hooks put into the inbox into the record and the ledger."""
