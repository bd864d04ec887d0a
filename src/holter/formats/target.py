"""What a provider demands of a conversation that is sent to it: the target profiles.

Each demand rests on a page of the provider's documentation or on a public issue, with its date; a rule without one is off for the target.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

import msgspec

from holter.messages import AIMessage, Conversation

Family = Literal["openai", "responses", "anthropic", "gemini"]


class Demand(msgspec.Struct, frozen=True):
    """One rule that a target has, and on what that rests."""

    code: str
    """The rule's code: "ID01"."""
    source: str
    """Address of the page or issue."""
    date: str
    """When the page was seen, or the issue was opened."""
    limit: int | None = None
    """The largest allowed value, for a rule that has one."""
    pattern: str | None = None
    """What a text must match, for a rule that has one."""
    severity: Literal["error", "warning", "info"] | None = None
    """The severity here, where it differs from the rule's own."""


class Target(msgspec.Struct, frozen=True):
    """A provider, or a kind of server, and what it demands."""

    name: str
    family: Family
    """Whose wire form it speaks."""
    demands: tuple[Demand, ...] = ()
    aliases: tuple[str, ...] = ()
    ids_unique_in: Literal["message", "history"] = "message"
    """Where a call's id must not come again."""

    def demand(self, code: str) -> Demand | None:
        """What the target demands by this rule; None when nothing."""
        return _demands(self).get(code)


_BY_TARGET: dict[str, dict[str, Demand]] = {}


def _demands(target: Target) -> dict[str, Demand]:
    found = _BY_TARGET.get(target.name)
    if found is None:
        found = _BY_TARGET[target.name] = {demand.code: demand for demand in target.demands}
    return found


_OPENAI_NAMES = "https://portkey.ai/error-library/input-validation-error-10046"
_GEMINI_NAMES = "https://pub.dev/documentation/googleapis/17.0.0/aiplatform_v1/GoogleCloudAiplatformV1FunctionDeclaration/name.html"
_BEDROCK_USE = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html"
_NAME = r"[A-Za-z0-9_-]{1,64}"
_KIMI_IDS = r"functions\.[A-Za-z0-9_.-]+:\d+"


def _issue(repository: str, number: int, kind: str = "issues") -> str:
    return f"https://github.com/{repository}/{kind}/{number}"


_NAME_OPENAI = Demand("NAME02", _OPENAI_NAMES, "2026-11-30", pattern=_NAME)
_ANTHROPIC = (
    Demand("PAIR08", _issue("MoonshotAI/kosong", 45), "2025-12-01"),
    Demand("PAIR09", _issue("shareAI-lab/learn-claude-code", 55), "2026-03-06"),
    Demand("PAIR14", _issue("anthropics/claude-code", 64383), "2026-06-01"),
    Demand("ID02", _issue("maximhq/bifrost", 5097), "2026-07-10", pattern=r"[A-Za-z0-9_-]+"),
    Demand("NAME02", _issue("home-assistant/core", 147760), "2025-06-29", pattern=r"[A-Za-z0-9_-]{1,128}"),
    Demand("ROLE04", _issue("anomalyco/opencode", 31259), "2026-07-03"),
    Demand("ROLE06", _issue("continuedev/continue", 4751), "2025-03-21"),
    Demand("RSN04", _issue("zed-industries/zed", 33317, "pull"), "2025-06-24"),
    Demand("CONT05", _issue("anomalyco/opencode", 15371), "2026-02-27"),
    Demand("RUN10", _issue("langgenius/dify", 17545), "2025-04-07"),
)
_PREFILL = Demand("ROLE03", _issue("anthropics/claude-code", 52433), "2026-04-23")
_ALTERNATING = (
    Demand("ROLE01", _issue("microsoft/autogen", 1037), "2023-12-21"),
    Demand("ROLE02", _issue("vllm-project/vllm", 6862), "2024-07-27"),
    Demand("ROLE06", _issue("microsoft/autogen", 3597), "2024-10-02"),
)
_GEMINI = (
    Demand("PAIR10", _issue("google-gemini/gemini-cli", 11814), "2025-10-23"),
    Demand("PAIR11", _issue("google-gemini/gemini-cli", 3814), "2025-07-10"),
    Demand("NAME02", _GEMINI_NAMES, "2026-11-30", pattern=r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}"),
)

TARGETS: tuple[Target, ...] = (
    Target("openai", "openai", (Demand("ID01", _issue("microsoft/autogen", 6377), "2025-04-23", limit=40), _NAME_OPENAI)),
    Target(
        "openai-responses",
        "responses",
        (
            Demand("ID01", _issue("AnswerDotAI/fastllm", 45), "2026-06-08", limit=64),
            Demand("RSN05", _issue("openai/openai-node", 1567), "2025-07-01"),
        ),
        aliases=("openai.responses", "responses"),
    ),
    Target("anthropic", "anthropic", _ANTHROPIC, ids_unique_in="history"),
    Target("anthropic-no-prefill", "anthropic", (*_ANTHROPIC, _PREFILL), ids_unique_in="history"),
    Target(
        "anthropic-bridge",
        "openai",
        (
            Demand("ID02", _issue("maximhq/bifrost", 5097), "2026-07-10", pattern=r"[A-Za-z0-9_-]+"),
            Demand("NAME02", _issue("home-assistant/core", 147760), "2025-06-29", pattern=r"[A-Za-z0-9_-]{1,128}"),
            Demand("ROLE04", _issue("anomalyco/opencode", 31259), "2026-07-03"),
            Demand("RUN10", _issue("langgenius/dify", 17545), "2025-04-07"),
            Demand("CONT05", _issue("anomalyco/opencode", 15371), "2026-02-27"),
            _PREFILL,
        ),
        ids_unique_in="history",
    ),
    Target("gemini", "gemini", _GEMINI),
    Target("gemini-3", "gemini", (*_GEMINI, Demand("RSN06", "https://ai.google.dev/gemini-api/docs/thought-signatures", "2026-11-30"))),
    Target("deepseek", "openai"),
    Target(
        "deepseek-thinking",
        "openai",
        (Demand("RSN01", "https://api-docs.deepseek.com/guides/thinking_mode", "2026-11-30"),),
    ),
    Target(
        "mistral",
        "openai",
        (Demand("ID02", _issue("anomalyco/opencode", 1680), "2025-08-07", pattern=r"[A-Za-z0-9]{9}"),),
    ),
    Target("groq", "openai", (Demand("RSN02", _issue("janhq/jan", 8136), "2026-05-13"),)),
    Target(
        "kimi",
        "openai",
        (Demand("ID03", _issue("vybestack/llxprt-code", 713), "2025-12-05", pattern=_KIMI_IDS),),
        aliases=("kimi-k2",),
    ),
    Target("qwen-template", "openai", (Demand("ROLE01", _issue("QwenLM/Qwen3.8", 244), "2026-09-22"),)),
    Target("strict-template", "openai", _ALTERNATING),
    Target("vllm", "openai", (Demand("ROLE05", _issue("vllm-project/vllm", 54337), "2026-08-29", severity="info"),)),
    Target("ollama", "openai", (Demand("ARG09", _issue("openclaw/openclaw", 50749, "pull"), "2026-03-20"),)),
    Target(
        "bedrock",
        "anthropic",
        (
            Demand("PAIR08", _issue("MoonshotAI/kosong", 45), "2025-12-01"),
            Demand("ID01", _BEDROCK_USE, "2026-11-30", limit=64),
            Demand(
                "ID02",
                _BEDROCK_USE,
                "2026-11-30",
                pattern=r"[A-Za-z0-9_-]+",
            ),
            Demand(
                "NAME02",
                _BEDROCK_USE,
                "2026-11-30",
                pattern=_NAME,
            ),
            Demand("ROLE04", _issue("NousResearch/hermes-agent", 55092), "2026-09-02"),
            Demand("ROLE05", _issue("Portkey-AI/gateway", 995), "2025-03-20", severity="info"),
            Demand("ROLE06", _issue("continuedev/continue", 4751), "2025-03-21"),
            Demand("RUN10", _issue("langgenius/dify", 16421), "2025-03-21"),
        ),
        ids_unique_in="history",
    ),
)
"""Every target, in the order that help lists them."""

_NAMED = {name: target for target in TARGETS for name in (target.name, *target.aliases)}


def target_named(name: str) -> Target | None:
    """The target of this name or alias; None when there is none."""
    return _NAMED.get(name)


def names() -> list[str]:
    """The targets' names, without aliases."""
    return [target.name for target in TARGETS]


_BY_MODEL = (
    (re.compile(r"^anthropic:"), "anthropic"),
    (re.compile(r"^groq:"), "groq"),
    (re.compile(r"^mistral:"), "mistral"),
    (re.compile(r"^qwen:"), "qwen-template"),
    (re.compile(r"gemini-3"), "gemini-3"),
    (re.compile(r"gemini"), "gemini"),
    (re.compile(r"claude"), "anthropic-bridge"),
    (re.compile(r"(?:^|[/:])(?:gpt-|o[134](?:-|$)|chatgpt)(?!oss)"), "openai"),
    (re.compile(r"deepseek"), "deepseek"),
    (re.compile(r"(?:^|[/:])(?:mistral|ministral|magistral|codestral|devstral|pixtral)"), "mistral"),
    (re.compile(r"kimi"), "kimi"),
)
_BY_FORMAT = (("anthropic", "anthropic"), ("gemini", "gemini"), ("openai.responses", "openai-responses"))


def inferred(conversation: Conversation) -> Target | None:
    """The target that the log's format and its model tell; None when neither does."""
    model = model_of(conversation)
    for prefix, name in _BY_FORMAT:
        if conversation.format.startswith(prefix):
            return _NAMED["gemini-3" if name == "gemini" and model and "gemini-3" in model else name]
    if model is None or not conversation.format.startswith("openai."):
        return None
    return target_of_model(model)


@lru_cache(maxsize=1024)
def target_of_model(model: str) -> Target | None:
    """The target that the name of a model tells ("deepseek:deepseek-chat", "gpt-4o"); None when it tells none."""
    return next((_NAMED[name] for pattern, name in _BY_MODEL if pattern.search(model.lower())), None)


def model_of(conversation: Conversation) -> str | None:
    """The model that the record, or else the last answer, names."""
    named = conversation.extra.get("model")
    if isinstance(named, str):
        return named
    last = conversation.messages[-1] if conversation.messages else None
    return last.model if isinstance(last, AIMessage) else None
