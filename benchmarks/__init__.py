"""The figures that Holter is held to, each measured in one run beside its floor or its peer: `python -m benchmarks`.

One file per benchmark, each with `run(settings) -> Iterator[Measurement]`. Timing lives here and never in a test. Nothing in `src/`
imports this package.
"""
