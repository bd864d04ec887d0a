"""Who takes part in the engine's benchmarks: one module for each, which alone imports what it is about.

Each has `runner(load)`, one whole run as an asynchronous function that gives the number of its messages, and `reader(load)`, one
answer read delta by delta, which gives the number of its characters. All are given the same by `benchmarks.contender.load`: the
texts, the tool's function, the times that pass, and answers that are made before anything is measured.
"""
