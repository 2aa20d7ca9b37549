"""The selector: retrieve, fuse, verify, pack and explain, for every surface."""
