"""What looks like a secret inside a text.

Shapes: GitHub's list of supported secret scanning patterns and the providers' own pages, seen 2026-11. A text that only resembles a
secret is blanked as well: that costs a word, the other way round costs a key.
"""

import re
from typing import Any

REDACTED = "[redacted]"

_SHAPES = re.compile(
    r"""
    -----BEGIN[A-Z ]*\ PRIVATE\ KEY(?:\ BLOCK)?-----.*?(?:-----END[A-Z ]*\ PRIVATE\ KEY(?:\ BLOCK)?-----|\Z)
  | sk-(?:proj|ant|svcacct|or-v1)-[A-Za-z0-9_-]{12,}
  | (?<![A-Za-z0-9])(?:                                                             # behind a sign, `_`, or text of another script
    eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?                  # JSON web token
  | (?:sk|rk|pk)[-_](?=[A-Za-z0-9_-]{0,200}[0-9A-Z])[A-Za-z0-9_-]{12,}              # OpenAI, Anthropic, DeepSeek, Stripe, …
  | (?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{12,}                                           # AWS
  | LTAI[A-Za-z0-9]{12,} | AKID[A-Za-z0-9]{28,}                                    # Alibaba Cloud, Tencent Cloud
  | (?:gh[pousr]|github_pat|glpat|gsk|hf|xai|r8|pplx|tvly|npm|pypi|dop_v1|nvapi|lsv2_(?:pt|sk))[-_][A-Za-z0-9_-]{16,}
  | xox[a-z]-[A-Za-z0-9-]{8,} | xapp-[A-Za-z0-9-]{8,}                              # Slack
  | AIza[A-Za-z0-9_-]{20,} | ya29\.[A-Za-z0-9_-]{16,}                             # Google
  | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}                                   # SendGrid
  | \d{8,10}:AA[A-Za-z0-9_-]{30,}                                                 # Telegram
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_BEARER = re.compile(r"\b(bearer|authorization:\s*\w+)\s+(?=[^\s\"']*\d|[^\s\"']{20})[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE)
_COOKIE = re.compile(r"""((?:set-)?cookie\\{0,8}["']?\s{0,8}:\s{0,8}+)(?!\\*["']?\[redacted\])(\\*["']?)[^\n"']*[^\s"'\\]""", re.IGNORECASE)
_USER = re.compile(r"""((?:\s|^)(?:-u|--user)[ =]["']?[^\s:"']{1,64}:)(?!\[redacted\])[^\s"']+""")
"""A name and password on a command line: `curl -u bob:…`."""
_IN_URL = re.compile(r"(://[^/\s:@\"']*:)[^/\s@\"']+(?=@)")

_WORD = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret(?!ar)|credential|authorization"
    r"|(?<![a-z])(?:api|access|private|secret|signing|encryption|account|auth)[_\- ]?keys?"
    r"|(?<![a-z])(?:auth|access|refresh|session|id|bearer|bot|api|security)[_\- ]?token|密码|口令|密钥)"
)
_PAIR = re.compile(
    rf"""(?P<key>{_WORD}[\w-]{{0,64}}\\*["']?\s*(?::=|=>|[:=：]|是)\s*)
         (?!\\*["']?\[redacted\])
         (?:(?P<quote>\\*["'])(?P<quoted>.*?)(?:(?P=quote)|\Z)|[^\s,;&"'<>(){{}}\[\]\\]+)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SECRET_KEY = re.compile(rf"{_WORD}|^(?:token|cookie|set-cookie)$", re.IGNORECASE)


def without_secrets(text: str) -> str:
    """The text with each secret blanked; what names it stays."""
    text = _SHAPES.sub(REDACTED, text)
    text = _BEARER.sub(rf"\1 {REDACTED}", text)
    text = _IN_URL.sub(rf"\1{REDACTED}", text)
    text = _USER.sub(rf"\1{REDACTED}", text)
    text = _COOKIE.sub(rf"\1\2{REDACTED}", text)
    return _PAIR.sub(_blanked, text)


def names_secret(key: Any) -> bool:
    """Whether the value under this key of an object is a secret by its name."""
    return isinstance(key, str) and _SECRET_KEY.search(key) is not None


def _blanked(match: re.Match[str]) -> str:
    quote = match["quote"] or ""
    return f"{match['key']}{quote}{REDACTED}{quote}" if not quote or match["quoted"] else match[0]
