"""Logs as tables, and questions about them in SQL. Needs the extra `duckdb`.

May import: `holter.analysis.stats`, `holter.messages`, `holter.errors`.
"""

from holter.analysis.query.database import Answer, Database, QueryError
from holter.analysis.query.table import TABLES, Column

__all__ = ["TABLES", "Answer", "Column", "Database", "QueryError"]
