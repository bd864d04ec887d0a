"""The pages of the documentation are those that the rules make."""

from pathlib import Path

from holter.analysis.lint.pages import pages

FOLDER = Path(__file__).parents[3] / "docs/rules"


def test_pages_are_up_to_date() -> None:
    """`python -m holter.analysis.lint.pages docs/rules` writes them anew."""
    assert {file.name: file.read_text("utf-8") for file in FOLDER.glob("*.md")} == pages()
