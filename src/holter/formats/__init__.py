"""Other people's logs and wires, and ours: one file per format, and what opens a log of any of them.

May import: `holter.messages`, `holter.errors`.
"""

from holter.formats.form import Loss, Written
from holter.formats.reading import iter_file, iter_stream, read
from holter.formats.writing import SHORT_NAMES, WRITERS, write

__all__ = ["SHORT_NAMES", "WRITERS", "Loss", "Written", "iter_file", "iter_stream", "read", "write"]
