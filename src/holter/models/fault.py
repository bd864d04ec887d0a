"""From what a server says in place of an answer to the error that says it to a caller.

Source: error pages of OpenAI, Anthropic, DeepSeek, DashScope, Moonshot, Zhipu, Groq, Mistral, OpenRouter and Gemini, seen 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from holter.errors import KeyRefused, ModelDown, ModelError, ModelRefused, ModelTimeout, NoAnswer, RateLimited, TooLong
from holter.formats.decode import strict_json
from holter.messages.calls import as_json_text
from holter.models.endpoint import Endpoint
from holter.models.retry import asked_wait_s


class Asked(msgspec.Struct, frozen=True):
    """What was asked of whom, for the text of errors."""

    model: str
    """The model as it was loaded: "deepseek:deepseek-v4-flash"."""
    url: str
    endpoint: Endpoint
    key_names: tuple[str, ...] = ()
    """Environment variables that may hold the key."""

    def text(self, what: str, advice: str = "", *, status: int | None = None, request_id: str | None = None, said: str = "") -> str:
        """What was found, where, what the server said, and what to do."""
        known = [f"POST {self.url}"]
        if status is not None:
            known.append(f"status {status}{_phrase(status)}")
        if request_id:
            known.append(f"request {request_id}")
        text = f"{self.model} {what} ({', '.join(known)})"
        text += f": {said}" if said else ""
        return self.endpoint.scrub(f"{text.rstrip('.')}. {advice}" if advice else text)

    def error(self, kind: type[ModelError], what: str, advice: str = "", **known: Any) -> ModelError:
        """An error of this kind; `known` may hold `status`, `request_id`, `said` and `retry_after_s`."""
        retry_after_s = known.pop("retry_after_s", None)
        error = kind(
            self.text(what, advice, **known),
            model=self.model,
            status=known.get("status"),
            request_id=known.get("request_id"),
            url=self.url,
        )
        error.retry_after_s = retry_after_s
        return error


def _phrase(status: int) -> str:
    try:
        return f" {HTTPStatus(status).phrase}"
    except ValueError:
        return " Overloaded" if status == 529 else ""


def of_response(asked: Asked, status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
    """The error that a response of any status but 2xx stands for."""
    request_id = request_id_of(headers)
    if 300 <= status < 400:
        target = headers.get("location", "").partition("?")[0]
        advice = "It was not followed, since the key goes to no other place than the one that was named; load the model with that base_url"
        return asked.error(
            ModelRefused, "has moved", advice, status=status, request_id=request_id, said=f"it points to {target or 'nowhere'}"
        )
    said, code = _said(body)
    return of_status(asked, status, said, code, request_id=request_id, retry_after_s=asked_wait_s(headers))


def of_event(asked: Asked, error: Any, *, request_id: str | None) -> ModelError:
    """The error that an error in place of an event stands for; its own code or type says the status that it would have had alone."""
    said, code = _of_value(error)
    number = int(code) if code.isdecimal() and 400 <= int(code) < 600 else next((s for name, s in _STATUS_OF.items() if name in code), 500)
    return of_status(asked, number, said or as_json_text(error)[:_LONGEST], code, request_id=request_id)


_STATUS_OF = {
    "overloaded": 529,
    "rate_limit": 429,
    "quota": 429,
    "authentication": 401,
    "permission": 403,
    "not_found": 404,
    "too_large": 413,
    "context_length": 400,
    "invalid": 400,
    "timeout": 504,
}
"""Words in an error's type or code -> the status that says the same."""


def of_status(
    asked: Asked, status: int, said: str, code: str = "", *, request_id: str | None = None, retry_after_s: float | None = None
) -> ModelError:
    """The error of a status, with what the server said and its code for it."""
    kind, what, advice = _kind(asked, status, said, code)
    return asked.error(kind, what, advice, status=status, request_id=request_id, said=said, retry_after_s=retry_after_s)


def _kind(asked: Asked, status: int, said: str, code: str) -> tuple[type[ModelError], str, str]:
    names = " or ".join(asked.key_names)
    if status == 413 or "context_length" in code or (status in (400, 422) and _TOO_LONG.search(said)):
        return TooLong, "was asked too much at once", "Trim the history (`holter.messages.trim`), or take a model with a larger window"
    if status in (401, 403):
        where = f"Set {names} to a key that may do this, or give it as `key=`" if names else "Give a key that may do this as `key=`"
        return KeyRefused, "refused the key", where if asked.endpoint.has_key else f"No key was sent. {where}"
    if status == 402 or (status == 429 and (_NO_MEANS.search(code) or _NO_MEANS.search(said))):
        return ModelRefused, "refused the account", "Look after its balance or quota; waiting does not help"
    if status == 404:
        return ModelRefused, "was not found", "Look at the model's name and at the base URL"
    if status in (429, 503, 529):
        return RateLimited, "takes no more requests for now", "Wait, ask less often, or ask another model"
    if status in (408, 504, 524):
        return ModelTimeout, "took too long, as its server says", "Ask again, or for less at once"
    if status >= 500 or status in (409, 425):
        return ModelDown, "failed on its server", "Ask again later, or another model"
    return ModelRefused, "refused the request", "What it says is wrong has to be changed; the same request will be refused again"


_TOO_LONG = re.compile(
    r"context (length|window|size)|maximum context|(prompt|input|request|history|messages?) (is|are) too long|too many (input )?tokens"
    r"|range of input length",
    re.IGNORECASE,
)
_NO_MEANS = re.compile(r"insufficient[_ ](quota|balance|credit)|billing|exceeded your current quota|arrears", re.IGNORECASE)


def no_json(asked: Asked, status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
    """The error of an answer that is no JSON object."""
    kind = headers.get("content-type", "").partition(";")[0] or "no content type"
    said = f"{_plain(body) or 'nothing'!r}, of {kind}"
    advice = "The base URL may be that of a page for people, or a proxy answered in the model's place"
    return asked.error(NoAnswer, "gave no answer that can be read", advice, status=status, request_id=request_id_of(headers), said=said)


def request_id_of(headers: Mapping[str, str]) -> str | None:
    """The provider's own id of a request."""
    return next((headers[name] for name in _ID_HEADERS if name in headers), None)


_ID_HEADERS = ("request-id", "x-request-id", "x-ds-trace-id", "x-dashscope-request-id", "msh-request-id", "x-log-id", "cf-ray")


def _said(body: bytes) -> tuple[str, str]:
    """(what an error's body says, its code or type)."""
    try:
        return _of_value(strict_json(body))
    except ValueError:
        return _plain(body), ""


def _of_value(value: Any) -> tuple[str, str]:
    match value:
        case [first, *_]:
            return _of_value(first)
        case {"error": dict() | list() as error}:
            return _of_value(error)
        case {"error": str(error)}:
            return error[:_LONGEST], str(value.get("code") or "")
        case dict():
            said = next((value[name] for name in ("message", "detail", "msg", "error_msg") if value.get(name)), None)
            text = said if isinstance(said, str) else as_json_text(value if said is None else said)
            return " ".join(text.split())[:_LONGEST], " ".join(str(value[name]) for name in ("code", "type") if value.get(name))
        case str():
            return value[:_LONGEST], ""
        case _:
            return as_json_text(value)[:_LONGEST], ""


_LONGEST = 600
"""Characters of what a server says that are shown."""


def _plain(body: bytes) -> str:
    """The text of a page, in one line: without tags, scripts and styles."""
    text = body[:20_000].decode("utf-8", "replace")
    if "<" in text:
        text = re.sub(r"(?is)<(script|style)\b.*?</\1>|<!--.*?-->|<[^>]+>", " ", text)
    return " ".join(text.split())[:200]
