"""Setting moored up in the hosts of this machine, and taking it out again."""
