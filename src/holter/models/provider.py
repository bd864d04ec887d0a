"""The providers that are known by name, and in what they differ: data, no code.

Source: each provider's API reference, and reports of histories that they refused, seen 2026-11. What is not said here is OpenAI's.
"""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import urlsplit

import msgspec
from msgspec.structs import replace

Reasoning = Literal["never", "kept", "required"]
"""Whether reasoning goes back: never; where an answer had some; or also, empty, with an answer that called tools and had none."""

Prefix = Literal["none", "plain", "prefix", "partial", "continue"]
"""How an answer is begun for the model to go on: not at all; a last assistant message says it; that message is marked `prefix` (DeepSeek,
Mistral) or `partial` (Moonshot, DashScope); or the request is (vLLM)."""


class Quirks(msgspec.Struct, frozen=True, kw_only=True):
    """In what a provider or model differs from OpenAI's chat."""

    reasoning: Reasoning = "never"
    reasoning_field: str = "reasoning_content"
    id_longest: int = 64
    id_pattern: str = ""
    """What an id must be as a whole; empty: any text."""
    id_form: str = ""
    """The form of ids that the model writes itself and wants to see again ("functions.{name}:{number}")."""
    system: Literal["anywhere", "first"] = "anywhere"
    """Whether only message 0 may be the system's, as strict chat templates want it."""
    opens_with_user: bool = False
    """Whether the first message behind the system's must be the user's."""
    max_tokens_field: str = "max_tokens"
    stream_usage: bool = True
    """Whether a stream has to be asked for its usage (`stream_options`)."""
    parallel_field: bool = True
    """Whether `parallel_tool_calls` is known."""
    strict_field: bool = True
    """Whether `strict` is known in a tool."""
    required_choice: str = "required"
    """What `tool_choice` is called that demands a call; empty where none may be demanded."""
    named_choice: bool = True
    """Whether a tool may be demanded by name."""
    blank_beside_calls: Literal["null", "empty"] = "null"
    """What stands for no content beside calls."""
    text_blocks: bool = True
    """Whether blocks of text alone may stand for text; else they are joined."""
    message_fields: frozenset[str] = frozenset()
    """Fields of its own in an answer that go back with it."""
    call_fields: frozenset[str] = frozenset()
    """Fields of its own in a call that go back with it."""
    block_fields: frozenset[str] = frozenset({"detail"})
    """What may stand in a block beside its own fields."""
    prefix: Prefix = "none"
    echoes_prefix: bool = False
    """Whether the beginning of an answer is said again before it goes on."""
    prefix_url: str = ""
    """The path of the base URL that takes a prefix, where it is another one."""
    leaks_calls: bool = False
    """Whether calls are known to stand in the text, where a server's parser missed them."""


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider that `load` knows by name."""

    name: str
    title: str
    base_url: str
    key_names: tuple[str, ...] = ()
    """Environment variables that may hold the key; the first one that is set counts."""
    needs_key: bool = True
    url_names: tuple[str, ...] = ()
    """Environment variables that may hold another base URL."""
    wire: Literal["openai", "anthropic"] = "openai"
    example: str = ""
    """The name of a model, to show what one looks like."""
    other_hosts: tuple[str, ...] = ()
    quirks: Quirks = Quirks()


_OPENAI = Quirks(id_longest=40, max_tokens_field="max_completion_tokens")
_LOCAL = Quirks(parallel_field=True, prefix="plain", leaks_calls=True)

PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            name="openai",
            title="OpenAI",
            base_url="https://api.openai.com/v1",
            key_names=("OPENAI_API_KEY",),
            url_names=("OPENAI_BASE_URL",),
            example="gpt-5-mini",
            quirks=_OPENAI,
        ),
        Provider(
            name="anthropic",
            title="Anthropic",
            base_url="https://api.anthropic.com",
            key_names=("ANTHROPIC_API_KEY",),
            url_names=("ANTHROPIC_BASE_URL",),
            wire="anthropic",
            example="claude-sonnet-4-5",
            quirks=Quirks(reasoning="kept", id_longest=64, id_pattern="[A-Za-z0-9_-]+", opens_with_user=True, prefix="plain"),
        ),
        Provider(
            name="deepseek",
            title="DeepSeek",
            base_url="https://api.deepseek.com",
            key_names=("DEEPSEEK_API_KEY",),
            example="deepseek-v4-flash",
            quirks=Quirks(
                reasoning="required", parallel_field=False, strict_field=False, prefix="prefix", prefix_url="/beta", leaks_calls=True
            ),
        ),
        Provider(
            name="qwen",
            title="Qwen (DashScope)",
            base_url="https://dashscope.aliyuncs.com/compatible-mode/v1",
            key_names=("DASHSCOPE_API_KEY", "QWEN_API_KEY"),
            other_hosts=("dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"),
            example="qwen3.5-flash",
            quirks=Quirks(
                system="first",
                strict_field=False,
                required_choice="",
                blank_beside_calls="empty",
                block_fields=frozenset({"detail", "cache_control"}),
                prefix="partial",
                leaks_calls=True,
            ),
        ),
        Provider(
            name="moonshot",
            title="Moonshot (Kimi)",
            base_url="https://api.moonshot.cn/v1",
            key_names=("MOONSHOT_API_KEY", "KIMI_API_KEY"),
            other_hosts=("api.moonshot.ai",),
            example="kimi-k2.5",
            quirks=Quirks(
                reasoning="kept",
                parallel_field=False,
                strict_field=False,
                required_choice="",
                id_form="functions.{name}:{number}",
                prefix="partial",
                leaks_calls=True,
            ),
        ),
        Provider(
            name="zhipu",
            title="Zhipu (GLM)",
            base_url="https://open.bigmodel.cn/api/paas/v4",
            key_names=("ZHIPUAI_API_KEY", "ZAI_API_KEY"),
            other_hosts=("api.z.ai",),
            example="glm-5",
            quirks=Quirks(
                reasoning="kept",
                stream_usage=False,
                parallel_field=False,
                strict_field=False,
                required_choice="",
                named_choice=False,
                blank_beside_calls="empty",
                leaks_calls=True,
            ),
        ),
        Provider(
            name="minimax",
            title="MiniMax",
            base_url="https://api.minimax.io/v1",
            key_names=("MINIMAX_API_KEY",),
            other_hosts=("api.minimaxi.com",),
            example="MiniMax-M2.5",
            quirks=Quirks(
                message_fields=frozenset({"reasoning_details"}),
                parallel_field=False,
                strict_field=False,
                required_choice="",
                leaks_calls=True,
            ),
        ),
        Provider(
            name="openrouter",
            title="OpenRouter",
            base_url="https://openrouter.ai/api/v1",
            key_names=("OPENROUTER_API_KEY",),
            example="deepseek/deepseek-v4-flash",
            quirks=Quirks(
                reasoning="kept",
                reasoning_field="reasoning",
                message_fields=frozenset({"reasoning_details"}),
                block_fields=frozenset({"detail", "cache_control"}),
            ),
        ),
        Provider(
            name="groq",
            title="Groq",
            base_url="https://api.groq.com/openai/v1",
            key_names=("GROQ_API_KEY",),
            example="openai/gpt-oss-20b",
            quirks=Quirks(max_tokens_field="max_completion_tokens", strict_field=False),
        ),
        Provider(
            name="cerebras",
            title="Cerebras",
            base_url="https://api.cerebras.ai/v1",
            key_names=("CEREBRAS_API_KEY",),
            example="gpt-oss-120b",
            quirks=Quirks(max_tokens_field="max_completion_tokens", text_blocks=False),
        ),
        Provider(
            name="mistral",
            title="Mistral",
            base_url="https://api.mistral.ai/v1",
            key_names=("MISTRAL_API_KEY",),
            example="mistral-small-latest",
            quirks=Quirks(
                id_longest=9,
                id_pattern="[A-Za-z0-9]{9}",
                stream_usage=False,
                required_choice="any",
                blank_beside_calls="empty",
                prefix="prefix",
            ),
        ),
        Provider(
            name="xai", title="xAI", base_url="https://api.x.ai/v1", key_names=("XAI_API_KEY",), example="grok-4-fast", quirks=Quirks()
        ),
        Provider(
            name="gemini",
            title="Gemini, by its OpenAI endpoint",
            base_url="https://generativelanguage.googleapis.com/v1beta/openai",
            key_names=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            example="gemini-3-flash",
            quirks=Quirks(call_fields=frozenset({"extra_content"}), parallel_field=False, strict_field=False, opens_with_user=True),
        ),
        Provider(
            name="siliconflow",
            title="SiliconFlow",
            base_url="https://api.siliconflow.cn/v1",
            key_names=("SILICONFLOW_API_KEY",),
            example="deepseek-ai/DeepSeek-V4",
            quirks=Quirks(system="first", parallel_field=False, strict_field=False, blank_beside_calls="empty", leaks_calls=True),
        ),
        Provider(
            name="together",
            title="Together",
            base_url="https://api.together.xyz/v1",
            key_names=("TOGETHER_API_KEY",),
            example="openai/gpt-oss-20b",
            quirks=Quirks(strict_field=False, leaks_calls=True),
        ),
        Provider(
            name="ollama",
            title="Ollama",
            base_url="http://127.0.0.1:11434/v1",
            key_names=("OLLAMA_API_KEY",),
            needs_key=False,
            url_names=("OLLAMA_HOST",),
            example="qwen3:4b",
            quirks=replace(_LOCAL, prefix="none", required_choice="", named_choice=False, blank_beside_calls="empty"),
        ),
        Provider(
            name="vllm",
            title="vLLM",
            base_url="http://127.0.0.1:8000/v1",
            key_names=("VLLM_API_KEY",),
            needs_key=False,
            url_names=("VLLM_BASE_URL",),
            example="Qwen/Qwen3-4B",
            quirks=replace(_LOCAL, prefix="continue"),
        ),
        Provider(
            name="llamacpp",
            title="llama.cpp's server",
            base_url="http://127.0.0.1:8080/v1",
            key_names=("LLAMA_API_KEY",),
            needs_key=False,
            url_names=("LLAMACPP_BASE_URL",),
            example="default",
            quirks=replace(_LOCAL, echoes_prefix=True, named_choice=False, blank_beside_calls="empty"),
        ),
        Provider(
            name="lmstudio",
            title="LM Studio",
            base_url="http://127.0.0.1:1234/v1",
            key_names=("LM_API_TOKEN",),
            needs_key=False,
            example="qwen3-4b",
            quirks=replace(_LOCAL, prefix="none", named_choice=False, blank_beside_calls="empty"),
        ),
    )
}
"""Provider by its name, in the order that people are shown."""

COMPATIBLE = Quirks(prefix="none", leaks_calls=True, blank_beside_calls="empty", strict_field=True)
"""A server that speaks OpenAI chat, and of which nothing else is known."""

_BY_MODEL: tuple[tuple[str, str, dict[str, object]], ...] = (
    # Models whose templates want their reasoning again, on servers that hand it to the template.
    (
        "openrouter|vllm|siliconflow|together|llamacpp|sglang",
        r"deepseek-(v3\.[2-9]|v[4-9]|reasoner)|kimi-k2|glm-(4\.[5-9]|[5-9])|minimax-m|gpt-oss",
        {"reasoning": "kept"},
    ),
    ("openrouter|vllm|siliconflow|together", r"kimi-k2", {"id_form": "functions.{name}:{number}"}),
    ("anthropic", r"claude-(opus|sonnet)-(4-[6-9]|[5-9])|claude-(fable|mythos)", {"prefix": "none"}),
)
"""(providers, pattern of model names, quirks that differ there)."""


def quirks_of(provider: Provider, model: str) -> Quirks:
    """In what this model of the provider differs."""
    quirks = provider.quirks
    for names, pattern, changes in _BY_MODEL:
        if provider.name in names.split("|") and re.search(pattern, model, re.IGNORECASE):
            quirks = replace(quirks, **changes)
    return quirks


def of_url(base_url: str) -> Provider | None:
    """The provider whose host a base URL names; None for any other."""
    host = urlsplit(base_url).hostname
    for provider in PROVIDERS.values():
        if provider.needs_key and host in (urlsplit(provider.base_url).hostname, *provider.other_hosts):
            return provider
    return None
