import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.formats.html import Page, is_html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<!DOCTYPE html>\n<html></html>", True),
        ("<!-- a --><p>x</p>", True),
        ("<div>{}</div>", True),
        ("日志：{&quot;role&quot;: &quot;user&quot;}", True),
        ("[HumanMessage(content=&#x27;hi&#x27;)]", True),
        ('见 {<span class="k">"role"</span>: 1}', True),
        ("<think>well</think> {}", False),
        ("a < b </p>", False),
        ('{"role": "user", "content": "<p>&quot;role&quot;: 1</p>"}', False),
        ("[AIMessage(content='<span>role</span', id='1')]", False),
        ("", False),
    ],
)
def test_is_html(text: str, expected: bool) -> None:
    """A page, a fragment, highlighted code or quotes as entities are HTML; HTML inside the texts of a log is not."""
    assert is_html(text) is expected


def test_text() -> None:
    """Tags, comments, scripts and styles are gone, blocks are lines, preformatted text is fenced, entities are characters."""
    page = Page(
        '<p>a&amp;b</p><!-- <p>no</p> --><script>var x = "<p>";</script><pre>{<b>&quot;c&quot;</b>&nbsp;&lt;&#x27;}</pre><td>d</td>'
    )
    assert page.text == '\na&b\n\n~~~~~~~~\n{"c" <\'}\n~~~~~~~~\n d '


def test_source() -> None:
    """Each character of the text is where it was in the source."""
    source = "<p>x</p>\n<pre>{&quot;role&quot;: 1, <i>&lt;y</i>}</pre>"
    page = Page(source)
    found = {mark: page.source(page.text.index(mark)) for mark in ("x", "{", '"role', "role", "1", "<y", "y", "}")}
    assert {mark: source[at : at + 6] for mark, at in found.items()} == {
        "x": "x</p>\n",
        "{": "{&quot",
        '"role': "&quot;",
        "role": "role&q",
        "1": "1, <i>",
        "<y": "&lt;y<",
        "y": "y</i>}",
        "}": "}</pre",
    }


@given(st.text(alphabet="<>/!-ap re&;quot\n\"'", max_size=60))
def test_any_text(source: str) -> None:
    """No text raises; places grow with the text and lie inside the source."""
    page = Page("<p>" + source)
    places = [page.source(at) for at in range(len(page.text))]
    assert places == sorted(places)
    assert all(0 <= at <= len(source) + 3 + len("\n~~~~~~~~\n") for at in places)
