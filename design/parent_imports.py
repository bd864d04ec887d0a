"""An import-linter contract: no module imports a package that it lies in.

A package's `__init__` imports the modules below it, so a module that imports its own package closes a cycle. The `layers` and
`acyclic_siblings` contracts compare siblings and cannot see it.
"""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck
from importlinter.application import output


class ParentImports(Contract):
    """Broken by `from holter.messages import Message` in `holter/messages/pairs.py`; typing-only imports count too."""

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Kept when no module below a package imports that package itself; the metadata lists what does, sorted."""
        output.verbose_print(verbose, f"Looking at the imports of {len(graph.modules)} modules...")
        upward = sorted(
            (module, imported)
            for module in graph.modules
            for imported in graph.find_modules_directly_imported_by(module)
            if module.startswith(f"{imported}.")
        )
        return ContractCheck(kept=not upward, metadata={"upward": upward})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """One line for each such import."""
        for module, imported in check.metadata["upward"]:
            output.print_error(f"{module} imports {imported}, the package it lies in; import the module that defines the name instead.")
