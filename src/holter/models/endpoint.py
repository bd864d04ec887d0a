"""Where a model is asked, and with what key."""

from __future__ import annotations

import base64
import re
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from holter.models.secret import Secret

_SECRET_NAME = re.compile(r"key|token|secret|signature|password|^sig$|^code$", re.IGNORECASE)
_UNSENDABLE = re.compile(r"[^\x21-\x7e]")


class Endpoint:
    """The base URL of a provider, and what every request to it carries. It shows no secret, and gives none but in `headers`."""

    def __init__(
        self,
        base_url: str,
        *,
        key: str | None = None,
        key_header: str = "Authorization",
        key_prefix: str = "Bearer ",
        headers: dict[str, str] | None = None,
    ) -> None:
        self.base_url, user = _split(base_url)
        self.url_query = urlsplit(self.base_url).query
        self._headers = {name: Secret(value) for name, value in (headers or {}).items()}
        self._key = Secret(_checked(key)) if key else None
        if self._key:
            self._headers.setdefault(key_header, Secret(key_prefix + self._key.reveal()))
        elif user:
            self._headers.setdefault("Authorization", Secret(f"Basic {base64.b64encode(user.reveal().encode()).decode()}"))
        self._user = user

    @property
    def has_key(self) -> bool:
        """Whether a key is sent."""
        return self._key is not None

    def url(self, path: str) -> str:
        """The whole URL of a path below the base."""
        parts = urlsplit(self.base_url)
        return urlunsplit(parts._replace(path=parts.path.rstrip("/") + path))

    def headers(self) -> dict[str, str]:
        """The headers that every request carries, the key among them."""
        return {name: value.reveal() for name, value in self._headers.items()}

    def scrub(self, text: str) -> str:
        """The text without the secrets of this endpoint: a server may repeat what it was sent."""
        for secret in (self._key, self._user, *self._headers.values()):
            if secret and len(secret.reveal()) >= _SHORTEST:
                text = secret.scrub(text)
        return text

    def __repr__(self) -> str:
        return f"Endpoint({self.base_url!r})"


_SHORTEST = 6
"""A text that is shorter is no secret, and taking it out would spoil messages."""


def _split(base_url: str) -> tuple[str, Secret | None]:
    """The URL without a name and password in it, and these. ValueError for what cannot be asked over HTTP."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        shown = base_url if "@" not in base_url else "one with a password in it"
        raise ValueError(f"a base URL begins with http:// or https:// and a host, found {shown!r}")
    if odd := next((name for name, _ in parse_qsl(parts.query) if _SECRET_NAME.search(name)), None):
        raise ValueError(f"the base URL holds {odd!r}, which looks like a secret, and URLs are logged; give it as `key=`, or in `headers=`")
    user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username or parts.password else None
    plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))
    return plain, Secret(user) if user else None


def _checked(key: object) -> str:
    """The key without the white space around it; ValueError, which does not show it, where it can be none."""
    if not isinstance(key, str):
        raise TypeError(f"a key is text, found {type(key).__name__}")
    key = key.strip()
    if _UNSENDABLE.search(key):
        raise ValueError("the key holds characters that no key has (a space, a line break, a quote that is not plain); copy it again")
    return key
