"""What a log says, for people who meet it the first time: its flow as an account, its fields one by one, and what a field means.

The explanations of fields are data: `knowledge/*.toml`, in English and Chinese, each with its source.

May import: `holter.formats`, `holter.messages`, `holter.errors`.
"""

from holter.analysis.explain.account import account
from holter.analysis.explain.annotate import annotated
from holter.analysis.explain.dictionary import dictionary, near
from holter.analysis.explain.explanation import Explained, explain

__all__ = ["Explained", "account", "annotated", "dictionary", "explain", "near"]
