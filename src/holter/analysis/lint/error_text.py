"""Whether a result says that its call went wrong, where no status does."""

_ERROR_WORDS = (
    *("error", "invalid", "not a valid", "unknown", "not found", "does not exist", "validation", "missing", "required", "failed"),
    *("unexpected", "not allowed", "no such", "traceback", "unsupported", "must be", "cannot", "could not"),
)


def says_error(text: str) -> bool:
    """Whether a result's text begins as an error text does."""
    head = text[:300].lower()
    return any(word in head for word in _ERROR_WORDS)
