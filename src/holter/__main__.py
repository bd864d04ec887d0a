"""`python -m holter` is `holter`."""

import sys

from holter.cli import main

if __name__ == "__main__":
    sys.exit(main())
