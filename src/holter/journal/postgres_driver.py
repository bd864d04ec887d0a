"""psycopg, or an error that says how to get it."""

try:
    import psycopg
    from psycopg import Connection, conninfo, errors, sql
except ImportError as missing:
    raise ImportError("a journal in PostgreSQL needs psycopg 3: pip install 'holter[postgres]'") from missing

__all__ = ["Connection", "conninfo", "errors", "psycopg", "sql"]
