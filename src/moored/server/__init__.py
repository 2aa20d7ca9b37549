"""The MCP server: what a connected agent may call and read."""
