"""What a server says in place of an answer, whatever form it has."""

from typing import Any

import msgspec
import pytest

from holter.errors import KeyRefused, ModelDown, ModelError, ModelRefused, RateLimited, TooLong
from holter.models.endpoint import Endpoint
from holter.models.fault import Asked, of_event, of_response

ASKED = Asked("acme:m", "http://x/v1/chat", Endpoint("http://x/v1", key="secret-key-1"), ("ACME_KEY",))

BODIES: list[tuple[Any, str]] = [
    ({"error": {"message": "it is wrong", "type": "x"}}, "it is wrong"),
    ({"error": "it is wrong"}, "it is wrong"),
    ({"message": "it is wrong"}, "it is wrong"),
    ({"detail": "it is wrong"}, "it is wrong"),
    ({"detail": [{"loc": ["body"], "msg": "it is wrong"}]}, "it is wrong"),
    ([{"error": {"message": "it is wrong", "code": 400}}], "it is wrong"),
    ({"type": "error", "error": {"type": "x", "message": "it is wrong"}}, "it is wrong"),
    ({"code": "InvalidParameter", "message": "it is wrong"}, "it is wrong"),
    ({"error_msg": "it is wrong"}, "it is wrong"),
    ({"odd": 1}, '{"odd":1}'),
    (None, "null"),
]


@pytest.mark.parametrize(("body", "said"), BODIES, ids=range(len(BODIES)))
def test_forms_of_errors(body: Any, said: str) -> None:
    """What is said is found in each provider's form."""
    error = of_response(ASKED, 400, {}, msgspec.json.encode(body))
    assert type(error) is ModelRefused
    assert said in str(error)


def test_a_page() -> None:
    """Of a page its text, without tags and scripts; a secret in it is not shown."""
    page = b"<html><style>x{}</style><body><h1>502 Bad  Gateway</h1><script>1</script>nginx secret-key-1</body></html>"
    error = of_response(ASKED, 502, {}, page)
    assert type(error) is ModelDown
    assert ": 502 Bad Gateway nginx ***. Ask again later" in str(error)


TEXTS: list[tuple[int, str, type[ModelError]]] = [
    (400, "This model's maximum context length is 8192 tokens", TooLong),
    (400, "prompt is too long: 210000 tokens > 200000 maximum", TooLong),
    (400, "the request exceeds the available context size", TooLong),
    (400, "Range of input length should be [1, 30720]", TooLong),
    (400, "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40", ModelRefused),
    (400, "max_tokens: 100000 exceeds the maximum of 8192", ModelRefused),
    (429, "Your account balance is insufficient: insufficient balance", ModelRefused),
    (429, "Rate limit reached", RateLimited),
]


@pytest.mark.parametrize(("status", "text", "kind"), TEXTS, ids=range(len(TEXTS)))
def test_what_a_text_says(status: int, text: str, kind: type[ModelError]) -> None:
    """A history that is too long is told from another text that is, and an empty account from a busy server."""
    assert type(of_response(ASKED, status, {}, msgspec.json.encode({"error": {"message": text}}))) is kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "x"}, RateLimited),
        ({"type": "authentication_error", "message": "x"}, KeyRefused),
        ({"type": "invalid_request_error", "message": "x"}, ModelRefused),
        ({"message": "x", "code": 502}, ModelDown),
        ({"message": "x", "code": "context_length_exceeded"}, TooLong),
        ("odd", ModelDown),
    ],
)
def test_errors_in_a_stream(error: Any, kind: type[ModelError]) -> None:
    """Without a status of its own, its type or code says what it is."""
    assert type(of_event(ASKED, error, request_id="r")) is kind


def test_without_a_key() -> None:
    """Where no key was sent, that is said."""
    asked = Asked("acme:m", "http://x/v1/chat", Endpoint("http://x/v1"), ("ACME_KEY",))
    assert "No key was sent. Set ACME_KEY to a key" in str(of_response(asked, 401, {}, b"{}"))
