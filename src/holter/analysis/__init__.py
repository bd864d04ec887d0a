"""Reads a conversation: what is wrong in it, what caused that, and what puts it right.

May import: `holter.tools`, `holter.models`, `holter.formats`, `holter.journal`, `holter.messages`, `holter.errors`.
"""
