"""Memory for coding agents that stays tied to its source."""
