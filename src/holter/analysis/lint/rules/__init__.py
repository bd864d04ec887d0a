"""One rule a file, named after what is wrong; `RULE` is found by `holter.analysis.lint.catalogue`.

May import: what `holter.analysis` may.
"""
