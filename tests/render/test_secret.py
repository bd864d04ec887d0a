"""What looks like a secret is blanked, and what does not is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holter.render.secret import without_secrets


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("key sk-ant-api03-AbCdEf0123456789_x-y, please", "key [redacted], please"),
        ("sk-proj-0123456789abcdefABCDEF", "[redacted]"),
        ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
        ("ghp_0123456789abcdefghijABCDEFGHIJ012345", "[redacted]"),
        ("xoxb-123456789012-abcdefghijkl", "[redacted]"),
        ("AIzaSyA0123456789abcdefghijklmnopqrstuv", "[redacted]"),
        ("Authorization: Bearer abc123def456ghi789", "Authorization: [redacted] [redacted]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", "[redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter", "[redacted]\nafter"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE and then the log was cut", "[redacted]"),
        ("password=hunter2&user=bob", "password=[redacted]&user=bob"),
        ('{"api_key": "abc, def", "n": 1}', '{"api_key": "[redacted]", "n": 1}'),
        ('{\\"api_key\\": \\"abc\\"}', '{\\"api_key\\": \\"[redacted]\\"}'),
        ("OPENAI_API_KEY='abc'", "OPENAI_API_KEY='[redacted]'"),
        ('password="cut off', 'password="[redacted]"'),
        ("postgres://bob:hunter2@db/x", "postgres://bob:[redacted]@db/x"),
        ("密码：hunter2，谢谢", "密码：[redacted]"),
        ("我的key是sk-proj-0123456789abcdefABCDEF", "我的key是[redacted]"),
        ("call_sk-0123456789abcdefABCDEF", "call_[redacted]"),
        ("fsk-proj-0123456789abcdefABCDEF", "f[redacted]"),
        ("LTAI5tAbCdEfGhIjKlMnOpQr", "[redacted]"),
        ("123456789:AAF-abcdefghijklmnopqrstuvwxyz_12345", "[redacted]"),
        ("curl -u bob:pa55w0rd https://x", "curl -u bob:[redacted] https://x"),
        ("Cookie: a=b; session=c\nHost: x", "Cookie: [redacted]\nHost: x"),
        ('{"set-cookie": "session=c; Path=/"}', '{"set-cookie": "[redacted]"}'),
    ],
)
def test_secrets_go(text: str, left: str) -> None:
    """Each known shape, and values that are called secrets."""
    assert without_secrets(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "a risk-averse task-oriented agent",
        "max_tokens=100, total_tokens: 431",
        "the bearer of bad news",
        "the cookie monster",
        "pip install scikit-learn sk-learn-extras",
        "she is a secretary: at the office",
        "call_00_9V0vrf86Pc9aelHCJMZqnJBo",
        "/home/user/project/sk/file.py",
        "password",
    ],
)
def test_plain_text_stays(text: str) -> None:
    """Words that only resemble one."""
    assert without_secrets(text) == text


@pytest.mark.parametrize(
    "text", ["password", "sk-", "cookie: ", "-u a:", "://a:", "bearer ", "-----BEGIN PRIVATE KEY-----", "1234567890:AA"]
)
def test_time_is_linear(text: str) -> None:
    """A text that seems to begin a secret everywhere takes no longer than any other: with quadratic time this would not end."""
    assert without_secrets(text * 200_000)


@given(st.text())
def test_twice_is_once(text: str) -> None:
    """What is blanked is not blanked again."""
    once = without_secrets(text)
    assert without_secrets(once) == once
