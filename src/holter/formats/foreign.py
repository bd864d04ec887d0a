"""Names for what Holter does not read, so that it is refused by name and not misread: other programs' logs, binary files, error bodies.

The tables are tried from the top, the most specific kinds first. A test looks at keys and at the first items of a list; each also holds for
a single line or event of its format. Formats as seen 2026-11.
"""

import re
from collections.abc import Callable
from typing import Any, TypeAlias

Test: TypeAlias = Callable[[dict[str, Any]], bool]

_RECORDS_LOOKED_AT = 2
_MESSAGES_LOOKED_AT = 20
_LISTS = ("messages", "history", "conversation", "chat_history")
"""Fields that hold a message list."""


def name_of(value: Any) -> str | None:
    """What a decoded JSON value is, with its article ("an Inspect log"); None for what Holter reads and for what nobody knows."""
    if isinstance(value, dict):
        return _named(value, _RECORDS) or _named(value, _MESSAGES) or _of_messages(value)
    if not isinstance(value, list) or not value:
        return None
    if isinstance(value[0], str) and value[0].startswith("client.beta.sessions."):
        return MANAGED_AGENTS
    if isinstance(value[0], list):
        return name_of(value[0]) if value[0] and isinstance(value[0][0], dict) and _is_openhands(value[0][0]) else None
    records = (_named(item, _RECORDS) for item in value[:_RECORDS_LOOKED_AT] if isinstance(item, dict))
    return next(filter(None, records), None) or _of_list(value)


def _of_messages(value: dict[str, Any]) -> str | None:
    """The name of the first message list in a record that has one."""
    return next(filter(None, (_of_list(value[key]) for key in _LISTS if isinstance(value.get(key), list))), None)


def _of_list(items: list[Any]) -> str | None:
    messages = [item for item in items[:_MESSAGES_LOOKED_AT] if isinstance(item, dict)]
    found = next(filter(None, (_named(message, _MESSAGES) for message in messages)), None)
    return found or ("an AG2 conversation" if _is_agents_list(messages) else None)


def _named(value: dict[str, Any], table: tuple[tuple[str, Test], ...]) -> str | None:
    return next((name for name, test in table if test(value)), None)


# Small questions


def _has(value: Any, *keys: str) -> bool:
    return isinstance(value, dict) and all(key in value for key in keys)


def _first(value: Any, key: str) -> Any:
    """The first item of the list under a key, or None."""
    items = value.get(key) if isinstance(value, dict) else None
    return items[0] if isinstance(items, list) and items else None


def _word(value: dict[str, Any], key: str) -> str:
    """The text under a key, "" where there is none."""
    word = value.get(key)
    return word if isinstance(word, str) else ""


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


# Records, events and lines


def _is_inspect(value: dict[str, Any]) -> bool:
    log = isinstance(value.get("eval"), dict) and bool(value.keys() & {"plan", "samples", "stats", "results"})
    return log or (_has(value, "epoch", "target", "id") and bool(value.keys() & {"messages", "input", "scores"}))


def _is_langsmith(value: dict[str, Any]) -> bool:
    if isinstance(value.get("run_type"), str):
        return bool(value.keys() & {"dotted_order", "trace_id", "inputs", "child_runs", "session_id", "parent_run_id"})
    batched = _first(value, "post") or _first(value, "patch")
    return _has(batched, "dotted_order") or _has(batched, "trace_id") or _has(batched, "run_type")


def _is_mini_swe_agent(value: dict[str, Any]) -> bool:
    info = value.get("info")
    return _word(value, "trajectory_format").startswith("mini-swe-agent") or (_has(info, "mini_version") and "messages" in value)


def _is_swe_agent(value: dict[str, Any]) -> bool:
    return _has(_first(value, "trajectory"), "action", "observation") or (
        _has(value, "trajectory", "history", "info") and "environment" in value
    )


def _is_tau2(value: dict[str, Any]) -> bool:
    simulation = (
        _has(value, "task_id") and bool(value.keys() & {"termination_reason", "ticks"}) and bool(value.keys() & {"messages", "ticks"})
    )
    return simulation or _has(value, "simulations", "tasks")


def _is_cassette(value: dict[str, Any]) -> bool:
    return _has(_first(value, "interactions"), "request", "response") or _has(_first(value, "http_interactions"), "request", "response")


def _is_openhands(value: dict[str, Any]) -> bool:
    if value.get("source") in ("agent", "user", "environment", "hook"):
        return bool(value.keys() & {"action", "observation"}) and bool(value.keys() & {"args", "content", "extras", "tool_name"})
    return False


_OPENHANDS_EVENT = re.compile(
    r"(Action|Observation|Message|SystemPrompt|ConversationStateUpdate|AgentError|ConversationError|Pause|TokenEvent|LLMCompletionLog)Event"
    r"|UserRejectObservation|Condensation(Request|SummaryEvent)?"
)


def _is_openhands_v1(value: dict[str, Any]) -> bool:
    return _OPENHANDS_EVENT.fullmatch(_word(value, "kind")) is not None and bool(value.keys() & {"source", "timestamp"})


def _is_openhands_run(value: dict[str, Any]) -> bool:
    first = _first(value, "history") or _first(value, "trajectory")
    first = first[0] if isinstance(first, list) and first else first
    return isinstance(first, dict) and (_is_openhands(first) or _is_openhands_v1(first))


_OBSERVATIONS = frozenset("SPAN GENERATION EVENT TOOL AGENT CHAIN RETRIEVER EMBEDDING EVALUATOR GUARDRAIL".split())


def _is_langfuse(value: dict[str, Any]) -> bool:
    if _has(value, "observations") and (isinstance(value.get("trace"), dict) or "projectId" in value):
        return True
    if _word(value, "type") in _OBSERVATIONS and bool(value.keys() & {"traceId", "trace_id"}):
        return True
    batch = _first(value, "batch")
    return _has(batch, "body", "type") and bool(re.fullmatch(r"(trace|span|generation|event|observation|score)-\w+", _word(batch, "type")))


def _is_openinference(value: dict[str, Any]) -> bool:
    if any(key in value for key in ("attributes.openinference.span.kind", "openinference.span.kind")):
        return True
    return any(_is_openinference_span(span) for span in _spans(value)[:3])


def _is_openinference_span(span: Any) -> bool:
    attributes = (span.get("attributes") or span.get("span_attributes")) if isinstance(span, dict) else None
    if isinstance(attributes, list):
        attributes = {item["key"]: None for item in attributes if isinstance(item, dict) and isinstance(item.get("key"), str)}
    if not isinstance(attributes, dict):
        return False
    return any(
        isinstance(key, str) and key.startswith(("openinference", "llm.input_messages", "llm.output_messages")) for key in attributes
    )


def _spans(value: dict[str, Any]) -> list[Any]:
    """The spans of an export or of a tree's root, or the value itself as the only one."""
    resource = _first(value, "resourceSpans") or _first(value, "resource_spans")
    scope = _first(resource, "scopeSpans") or _first(resource, "scope_spans") or _first(resource, "instrumentationLibrarySpans")
    for holder in (scope, value):
        if isinstance(holder, dict) and isinstance(holder.get("spans"), list):
            spans: list[Any] = holder["spans"]
            return spans
    return [value]


def _is_otel(value: dict[str, Any]) -> bool:
    if value.keys() & {"resourceSpans", "resource_spans", "resourceLogs", "resource_logs", "scopeSpans"}:
        return True
    context = value.get("context")
    ids = value if "name" in value else {}
    own = _has(ids, "traceId", "spanId") or _has(ids, "trace_id", "span_id") or _has(value, "spanContext", "name")
    in_context = "name" in value and (_has(context, "trace_id", "span_id") or _has(context, "traceId", "spanId"))
    tree = _has(value, "trace_id", "spans") and _has(_first(value, "spans"), "span_id")
    return own or in_context or tree or _has(value, "span_id", "child_spans")


def _is_claude_code(value: dict[str, Any]) -> bool:
    if _has(value, "parentUuid", "sessionId") or _has(value, "leafUuid", "summary"):
        return True
    kind = _word(value, "type")
    if kind == "file-history-snapshot":
        return True
    if "sessionId" in value and kind in _CLAUDE_CODE_LINES:
        return True
    streamed = "session_id" in value and kind in ("system", "assistant", "user", "result", "stream_event")
    return streamed and bool(value.keys() & {"message", "subtype", "uuid", "event"})


_CLAUDE_CODE_LINES = frozenset(
    "queue-operation progress attachment ai-title custom-title last-prompt agent-name permission-mode pr-link".split()
)


def _is_qwen_code(value: dict[str, Any]) -> bool:
    return _has(value, "parentUuid", "sessionId") and _has(value.get("message"), "parts")


_ROLLOUT = frozenset("session_meta turn_context response_item event_msg compacted world_state".split())


def _is_codex(value: dict[str, Any]) -> bool:
    if _word(value, "type") in _ROLLOUT and isinstance(value.get("payload"), dict):
        return True
    return value.get("record_type") == "state" or (
        _has(value, "id", "timestamp", "instructions") and "type" not in value and "role" not in value
    )


def _is_codex_exec(value: dict[str, Any]) -> bool:
    kind = _word(value, "type")
    return (kind == "thread.started" and "thread_id" in value) or (kind.startswith("item.") and _has(value.get("item"), "id", "type"))


_PI_LINES = frozenset(
    "model_change thinking_level_change compaction branch_summary custom custom_message label session_info session_start".split()
)


_PI_ROLES = ("user", "assistant", "toolResult", "bashExecution")


def _is_pi(value: dict[str, Any]) -> bool:
    kind = _word(value, "type")
    if kind in ("session", "session_start"):
        return "id" in value and bool(value.keys() & {"cwd", "version"})
    if kind == "message":
        message = value.get("message")
        return _has(value, "id", "timestamp") and isinstance(message, dict) and message.get("role") in _PI_ROLES
    return kind in _PI_LINES and _has(value, "id", "timestamp")


_COPILOT_EVENT = re.compile(r"(session|user|assistant|tool|system|hook|subagent|skill)\.\w+|abort")


def _is_copilot(value: dict[str, Any]) -> bool:
    named = _COPILOT_EVENT.fullmatch(_word(value, "type")) is not None
    return named and isinstance(value.get("data"), dict) and "timestamp" in value


def _is_gemini_cli(value: dict[str, Any]) -> bool:
    return _has(value, "sessionId", "projectHash") or (_has(value, "sessionId", "messageId", "type", "message") and "uuid" not in value)


def _is_opencode(value: dict[str, Any]) -> bool:
    if "sessionID" in value:
        return bool(value.keys() & {"role", "messageID", "type", "time"})
    return _has(_first(value, "messages"), "info", "parts")


_UI_STREAM = re.compile(r"(start|finish)-step|(text|reasoning)-(start|delta|end)|tool-(input|output)-[\w-]+")


def _is_ui_stream(value: dict[str, Any]) -> bool:
    kind = _word(value, "type")
    return _UI_STREAM.fullmatch(kind) is not None and (kind.endswith("-step") or bool(value.keys() & {"id", "toolCallId"}))


def _is_adk(value: dict[str, Any]) -> bool:
    if _has(value, "author") and bool(value.keys() & {"invocationId", "invocation_id"}):
        return True
    return _has(_first(value, "events"), "author") or _has(value, "eval_cases") or _has(value, "query", "expected_tool_use")


def _is_run_state(value: dict[str, Any]) -> bool:
    return "$schemaVersion" in value and bool(value.keys() & {"current_agent", "currentAgent", "generated_items", "generatedItems"})


def _is_bedrock(value: dict[str, Any]) -> bool:
    output = value.get("output")
    answer = isinstance(output, dict) and isinstance(output.get("message"), dict)
    return answer and bool(value.keys() & {"stopReason", "metrics"} or _has(value.get("usage"), "inputTokens"))


def _is_bedrock_request(value: dict[str, Any]) -> bool:
    return "messages" in value and bool(value.keys() & {"inferenceConfig", "toolConfig", "additionalModelRequestFields"})


_CONVERSE_EVENTS = frozenset("messageStart contentBlockStart contentBlockDelta contentBlockStop messageStop".split())


def _is_converse_event(value: dict[str, Any]) -> bool:
    return len(value) == 1 and bool(value.keys() & _CONVERSE_EVENTS)


def _is_cohere(value: dict[str, Any]) -> bool:
    if _has(value, "message", "finish_reason") and "choices" not in value and "delta" not in value:
        counted = value.get("usage")
        own = _has(counted, "billed_units") or _has(counted, "tokens") or _word(value, "finish_reason").isupper()
        return isinstance(value["message"], dict) and own
    return _has(value, "generation_id", "text")


_COHERE_EVENT = re.compile(r"(message|content|tool-call|citation)-(start|end)|content-delta|tool-plan-delta|tool-call-delta")


def _is_cohere_event(value: dict[str, Any]) -> bool:
    return _COHERE_EVENT.fullmatch(_word(value, "type")) is not None and bool(value.keys() & {"delta", "index"})


def _is_ollama(value: dict[str, Any]) -> bool:
    return _has(value, "model", "done", "created_at") and bool(value.keys() & {"message", "response"})


def _is_dashscope(value: dict[str, Any]) -> bool:
    output = value.get("output")
    return "request_id" in value and isinstance(output, dict) and bool(output.keys() & {"choices", "text"})


_MANAGED = re.compile(
    r"(agent\.(message|thinking|tool|mcp|custom|thread)\w*|session\.(status_|thread_)\w+|span\.model_request_\w+|user\.(tool|custom)_\w+)"
)

_AUTOGEN = frozenset(
    "TextMessage MultiModalMessage StopMessage HandoffMessage ThoughtEvent ToolCallRequestEvent ToolCallExecutionEvent "
    "ToolCallSummaryMessage".split()
)

MANAGED_AGENTS = "managed agents events"

# Each row says in its comment what the format is known by, or who writes it. Order decides where two tests hold: the narrower one is above.
_RECORDS: tuple[tuple[str, Test], ...] = (
    ("an ATIF trajectory", lambda v: _word(v, "schema_version").startswith("ATIF")),  # Harbor's RFC 1: every file carries the version
    ("an Inspect log", _is_inspect),  # inspect_ai EvalLog and EvalSample, header and summaries too
    ("a LangSmith run", _is_langsmith),  # `run_type` with its place in a trace, and ingest batches {post, patch}
    ("a mini-swe-agent trajectory", _is_mini_swe_agent),  # from v1 on with `trajectory_format`; the bare list is OpenAI chat
    ("a SWE-agent trajectory", _is_swe_agent),  # its `history` would pass for a chat
    ("a tau2 simulation", _is_tau2),  # its `messages` would pass for a chat; the user side calls tools too
    ("a VCR cassette", _is_cassette),  # vcrpy and Ruby's VCR, the JSON serializer
    ("an HTTP archive", lambda v: _has(_first(v.get("log"), "entries"), "request", "response")),  # HAR 1.2
    ("an OpenHands event log", _is_openhands_run),  # one run of output.jsonl: events, or pairs, under `history`
    ("an OpenHands event log", _is_openhands),  # V0: one event
    ("an OpenHands event log", _is_openhands_v1),  # the SDK's events, told apart by `kind`
    ("a Langfuse trace", _is_langfuse),  # export, single observation, ingestion batch; before OpenTelemetry, whose ids it shares
    ("OpenInference spans", _is_openinference),  # Phoenix and TRAIL; before OpenTelemetry, which they are a dialect of
    ("OpenTelemetry spans", _is_otel),  # OTLP JSON, console exporters, nested trees
    ("an MLflow trace", lambda v: _has(v, "info") and _has(v.get("data"), "spans")),  # mlflow.entities.Trace.to_dict
    ("an OpenAI Agents trace", lambda v: v.get("object") in ("trace", "trace.span")),  # the SDK's tracing export
    ("an OpenAI Agents run state", _is_run_state),  # RunState.to_json
    ("a Qwen Code session", _is_qwen_code),  # Claude Code's envelope around Gemini messages
    ("a Claude Code session", _is_claude_code),  # ~/.claude/projects lines, and the output of --output-format stream-json
    ("a Codex rollout", _is_codex),  # ~/.codex/sessions; before 0.50 only the first line and `record_type` lines are its own
    ("Codex exec events", _is_codex_exec),  # codex exec --json
    ("a Copilot CLI session", _is_copilot),  # ~/.copilot/session-state/*/events.jsonl
    ("a Gemini CLI session", _is_gemini_cli),  # ~/.gemini/tmp/*/chats and logs.json
    ("an opencode session", _is_opencode),  # one file per message or part with `sessionID`, or `opencode export`
    (MANAGED_AGENTS, lambda v: _MANAGED.fullmatch(_word(v, "type")) is not None),  # Anthropic's agent sessions
    ("a pi session", _is_pi),  # and its kin that keep pi's lines (OpenClaw, Droid)
    ("a goose session", lambda v: _has(v, "working_dir", "message_count")),  # the first line of a session file
    ("a Google ADK session", _is_adk),  # sessions, single events, evaluation sets
    ("a Bedrock invocation log", lambda v: v.get("schemaType") == "ModelInvocationLog"),  # CloudWatch and S3 delivery
    ("a Bedrock Converse answer", _is_bedrock),  # blocks are told apart by their one key
    ("a Bedrock Converse request", _is_bedrock_request),  # before chat lists: its messages have role and content
    ("a Bedrock Converse stream", _is_converse_event),  # ConverseStream events
    ("a DashScope answer", _is_dashscope),  # Alibaba's own API, not its OpenAI-compatible one
    ("an Ollama answer", _is_ollama),  # /api/chat and /api/generate, not /v1
    ("a Cohere answer", _is_cohere),  # v2 /chat, and v1 with `generation_id`
    ("a Cohere stream", _is_cohere_event),  # v2 events
    ("a Vercel AI SDK UI stream", _is_ui_stream),  # toUIMessageStream parts
    ("ShareGPT conversations", lambda v: _has(_first(v, "conversations"), "from", "value")),  # training sets
    ("ShareGPT conversations", lambda v: v.keys() <= {"from", "value", "weight", "loss"} and _has(v, "from", "value")),  # one turn of them
    ("a ChatGPT export", lambda v: _has(v, "mapping", "title")),  # conversations.json
    ("a Claude.ai export", lambda v: _has(v, "chat_messages", "uuid")),  # conversations.json
    ("a Google AI Studio prompt", lambda v: _has(v.get("chunkedPrompt"), "chunks")),  # a prompt saved to Drive
    ("a LangGraph checkpoint", lambda v: _has(v, "channel_values", "channel_versions")),  # the saver's own form, not a state
    ("Pydantic AI messages", lambda v: v.get("kind") in ("request", "response") and _has(_first(v, "parts"), "part_kind")),  # ModelMessage
    ("AutoGen messages", lambda v: _word(v, "type") in _AUTOGEN and "source" in v),  # autogen-agentchat 0.4 on
    ("LlamaIndex messages", lambda v: _has(_first(v, "blocks"), "block_type")),  # ChatMessage.model_dump
    (
        "Cline UI messages",
        lambda v: v.get("type") in ("ask", "say") and _has(v, "ts") and bool(v.keys() & {"ask", "say"}),
    ),  # ui_messages.json
    ("JSON-RPC messages", lambda v: v.get("jsonrpc") == "2.0"),  # MCP, A2A and ACP traffic
)


# Messages of lists that have role and content, and are no chat of a kind that is read


def _is_ui_message(value: dict[str, Any]) -> bool:
    return "role" in value and (_has(_first(value, "parts"), "type") or isinstance(value.get("toolInvocations"), list))


def _is_genai_message(value: dict[str, Any]) -> bool:
    part = _first(value, "parts")
    if not _has(value, "role") or not isinstance(part, dict):
        return False
    return part.get("type") in ("tool_call", "tool_call_response") or (part.get("type") in ("text", "reasoning") and "content" in part)


def _is_tau2_message(value: dict[str, Any]) -> bool:
    return "role" in value and (bool(value.keys() & {"requestor", "turn_idx"}) or _has(_first(value, "tool_calls"), "requestor"))


def _is_converse_message(value: dict[str, Any]) -> bool:
    own = {"toolUse", "toolResult", "reasoningContent", "cachePoint", "guardContent"}
    return any("type" not in block and bool(block.keys() & own) for block in _blocks(value))


def _is_model_message(value: dict[str, Any]) -> bool:
    return any(block.get("type") in ("tool-call", "tool-result") and "toolCallId" in block for block in _blocks(value))


def _is_inspect_message(value: dict[str, Any]) -> bool:
    call = _first(value, "tool_calls")
    return value.get("role") == "assistant" and _has(call, "id", "function", "arguments") and isinstance(call["function"], str)


def _is_history_item(value: dict[str, Any]) -> bool:
    if not _has(value, "role", "content"):
        return False
    return "tool_call_ids" in value or ("agent" in value and bool(value.keys() & {"thought", "action"}))


_MESSAGES: tuple[tuple[str, Test], ...] = (
    ("OpenTelemetry GenAI messages", _is_genai_message),  # gen_ai.input.messages; before UI messages, which have parts with types too
    ("Vercel AI SDK UI messages", _is_ui_message),  # from v5 on a call and its result are one part; v4 has `toolInvocations`
    ("Vercel AI SDK model messages", _is_model_message),  # calls and results are blocks with `toolCallId`
    ("a tau2 simulation", _is_tau2_message),  # results carry their call's id as `id`
    ("a Bedrock Converse conversation", _is_converse_message),  # blocks without a type
    ("an Inspect log", _is_inspect_message),  # `function` is the name itself
    ("a SWE-agent trajectory", _is_history_item),  # the `history` alone
    ("a pi session", lambda v: v.get("role") == "toolResult" and "toolCallId" in v),  # its messages without the envelope
    ("a goose session", lambda v: any(b.get("type") in ("toolRequest", "toolResponse") for b in _blocks(v))),  # its messages
)


_AGENT_NAME = re.compile(
    r"[A-Z]\w* \((thought|termination condition|-> ?\w+)\)|Orchestrator|[A-Z][a-z]+[A-Z]\w*|[A-Z]\w*_\w+|\w+_(agent|proxy|manager|executor)"
)
_CHAT_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def _is_agents_list(messages: list[dict[str, Any]]) -> bool:
    """Whether the roles are names of agents (AG2, Magentic-One). With a common role in front it is a chat list and is read as one."""
    if not messages or messages[0].get("role") in _CHAT_ROLES:
        return False
    return any(_AGENT_NAME.fullmatch(_word(message, "role")) and isinstance(message.get("content"), str) for message in messages)


# Text and bytes

_CASSETTE = re.compile(r"^(http_)?interactions:\s*$", re.MULTILINE)
_REQUEST = re.compile(r"^[ -]*request:", re.MULTILINE)


def name_of_text(head: str) -> str | None:
    """What a text that is no JSON is, from its beginning: "a VCR cassette"; None when nobody knows."""
    if _CASSETTE.search(head) and _REQUEST.search(head):
        return "a VCR cassette"
    return "an aider chat history" if head.lstrip().startswith("# aider chat started at") else None


_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "a gzip file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"\xfd7zXZ\x00", "an xz file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"GGUF", "a GGUF model"),
    (b"%PDF-", "a PDF"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "an ELF program"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x89HDF\r\n", "an HDF5 file"),
)
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_INSPECT_MEMBER = re.compile(rb"header\.json|_journal/|samples/|summaries\.json|reductions\.json")


def name_of_bytes(head: bytes) -> str | None:
    """What a binary file is, from its first bytes: "a PNG image"; None for text and for what nobody knows."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "an Inspect log (.eval)" if _INSPECT_MEMBER.search(head) else "a zip archive"
    if _PICKLE.match(head):
        return "a pickle, which Holter never loads"
    if head[:3] == b"BZh" and head[4:10] == b"1AY&SY":
        return "a bzip2 file"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "a WebP image"
    if head[257:262] == b"ustar":
        return "a tar archive"
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


# Error bodies

_LONGEST_ERROR = 120
_ERROR_FIELDS = frozenset(
    "error type message code status status_code detail param id object created model provider request_id requestId user_id timestamp "
    "success headers cause".split()
)
"""What an error body may hold; a record with anything else is a log of its own."""


def error_body(value: Any) -> str | None:
    """A provider's error body as one phrase: "an OpenAI error body (insufficient_quota: You exceeded …)"; None for anything else."""
    if isinstance(value, list) and value:
        # Gemini answers a streamed request with a list of one error.
        return error_body(value[0]) if _has(value[0], "error") else None
    if not isinstance(value, dict) or not value.keys() <= _ERROR_FIELDS:
        return None
    error = value.get("error")
    if isinstance(error, dict) and error.keys() & {"message", "status", "type", "code"}:
        return _error_text(_provider(value, error), error, error.get("message"))
    if isinstance(error, str):
        return _error_text("an error body", value, value.get("message") or error)
    # vLLM and Mistral; FastAPI.
    if value.get("object") == "error":
        return _error_text("an OpenAI error body", value, value.get("message"))
    return _error_text("an error body", value, value["detail"]) if value.keys() == {"detail"} else None


def _provider(value: dict[str, Any], error: dict[str, Any]) -> str:
    if value.get("type") == "error":
        return "an Anthropic error body"
    return "a Gemini error body" if _word(error, "status").isupper() else "an OpenAI error body"


def _error_text(kind: str, error: dict[str, Any], message: Any) -> str:
    label = _word(error, "status") or _word(error, "code") or _word(error, "type") or error.get("code")
    said = [str(part) for part in (label, message) if part]
    text = " ".join(": ".join(said).split())
    short = text if len(text) <= _LONGEST_ERROR else text[: _LONGEST_ERROR - 1].rstrip() + "…"
    return f"{kind} ({short})" if short else kind
