"""`python -m moored` is the command `moored`."""

from moored.cli.main import main

main()
