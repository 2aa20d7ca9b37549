"""What is handed to a host: pins and briefs within a token budget."""
