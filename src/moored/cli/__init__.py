"""The command line: thin over `moored.Memory`."""
