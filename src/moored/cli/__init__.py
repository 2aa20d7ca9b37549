"""The command line: thin commands, how they render for people, and the shapes of their JSON."""
