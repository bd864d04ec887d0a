"""Clean runs to try the linter on: recordings of Holter's own runtime and of other frameworks, each of which asks a local server."""
