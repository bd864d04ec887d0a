"""The checklist: what people see, where to look, what the cause mostly is, and what helps; English and Chinese."""

from __future__ import annotations

from typing import Literal

import msgspec

Language = Literal["en", "zh"]


class Said(msgspec.Struct, frozen=True):
    """One sentence in both languages."""

    en: str
    zh: str

    def in_(self, language: Language) -> str:
        """The sentence in this language."""
        return self.zh if language == "zh" else self.en


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the checklist."""

    key: str
    symptom: Said
    look: Said
    cause: Said
    remedy: Said
    rules: tuple[str, ...]
    """Codes, or beginnings of codes, of the rules that speak for it."""
    words: tuple[str, ...]
    """What people say who have this, lower case: beginnings of words, with up to three others between them; of Chinese, pieces of a
    sentence."""


CHECKLIST: tuple[Line, ...] = (
    Line(
        key="never-called",
        symptom=Said("the tool is never called", "工具从来没有被调用"),
        look=Said(
            "the request's `tools` and `tool_choice`; a call written as text in `content`",
            "请求里的 `tools` 和 `tool_choice`；写在 `content` 里的调用",
        ),
        cause=Said(
            "the tools were not sent on this step, their description is vague, or the call leaked into the text",
            "这一步没有发送工具、工具描述含糊，或者调用以文本形式漏进了正文",
        ),
        remedy=Said(
            "send the tools with every step and sharpen their descriptions; fix the server's tool parser",
            "每一步都发送工具，把描述写明确；修正服务端的工具解析器",
        ),
        rules=("LEAK", "TOOL01", "FIN02"),
        words=(
            "never call",
            "not call",
            "never use tool",
            "not use tool",
            "no tool call",
            "ignores its tools",
            "ignores my tools",
            "ignores tools",
            "instead of calling",
            "不调用",
            "不使用工具",
            "没有使用工具",
            "没用工具",
            "没有调用",
            "没调用",
            "从不调用",
            "没有被调用",
            "未被调用",
        ),
    ),
    Line(
        key="wrong-tool",
        symptom=Said("the wrong tool, or one that does not exist", "调用了错误的、或者不存在的工具"),
        look=Said("`tool_calls[].name` against the names that were offered", "把 `tool_calls[].name` 与提供的工具名对照"),
        cause=Said("descriptions that overlap, a prefix, or an invented name", "描述互相重叠、名字带了前缀，或者名字是编造的"),
        remedy=Said(
            "rename and separate the tools; answer a wrong name with the list of names", "改名并区分工具；对错误的名字返回可用名字的列表"
        ),
        rules=("NAME",),
        words=(
            "wrong tool",
            "wrong function",
            "unknown tool",
            "not a valid tool",
            "not exist",
            "no such tool",
            "hallucinated tool",
            "hallucinated function",
            "invented tool",
            "错误的工具",
            "用错 工具",
            "选错 工具",
            "不存在的工具",
            "不存在的函数",
            "工具名",
        ),
    ),
    Line(
        key="bad-arguments",
        symptom=Said("bad arguments", "参数不对"),
        look=Said("the raw `arguments`, `invalid_tool_calls`, and the schema", "原始的 `arguments`、`invalid_tool_calls` 和 schema"),
        cause=Said("a loose schema, arguments encoded twice, or cut off", "schema 太松、参数被编码两次，或者被截断"),
        remedy=Said(
            "enums and required fields in the schema; the error text back to the model",
            "在 schema 里使用枚举和必填字段；把错误文本返回给模型",
        ),
        rules=("ARG",),
        words=("argument", "parameter", "json", "schema", "parse", "validation", "参数", "解析", "校验"),
    ),
    Line(
        key="refused-request",
        symptom=Said("the provider refuses the request: 400 about `tool_call_id`", "服务商拒绝请求：关于 `tool_call_id` 的 400 错误"),
        look=Said("the ids of calls and results, and their order", "调用与结果的 id，以及它们的顺序"),
        cause=Said("a result is missing, was trimmed away, moved or renamed", "结果缺失、被裁掉、被移动或被改名"),
        remedy=Said("`holter fix`; trim in whole groups of a call and its results", "使用 `holter fix`；按“调用加结果”的整组裁剪"),
        rules=("PAIR", "TRIM01", "ID", "ROLE", "RSN", "CONT01", "CONT03", "RUN10"),
        words=(
            "400",
            "tool_call_id",
            "tool_use",
            "refuse",
            "rejected",
            "bad request",
            "invalid_request",
            "must be followed",
            "拒绝",
            "报错",
        ),
    ),
    Line(
        key="repeats",
        symptom=Said("the same call again and again", "反复进行同样的调用"),
        look=Said(
            "arguments and results of the repeats; `tool_choice`; the system message", "重复调用的参数和结果；`tool_choice`；系统消息"
        ),
        cause=Said(
            "a result that does not help, a forced choice, tool turns that are not sent back, or state that was lost",
            "结果没有帮助、强制选择、工具轮次没有发回，或者状态丢失",
        ),
        remedy=Said(
            "a clearer result, a limit, `tool_choice: auto` after the first result",
            "给出更清楚的结果、设定上限、第一个结果之后用 `tool_choice: auto`",
        ),
        rules=("LOOP", "RUN12"),
        words=("again and again", "loop", "repeat", "infinite", "same call", "stuck", "循环", "重复", "反复", "死循环"),
    ),
    Line(
        key="after-failure",
        symptom=Said("a crash, or an invented answer, after a tool failed", "工具失败之后崩溃，或者编造答案"),
        look=Said("the `status` and `content` of the ToolMessage", "ToolMessage 的 `status` 和 `content`"),
        cause=Said("an uncaught exception, or an empty error text", "异常没有被捕获，或者错误文本为空"),
        remedy=Said("errors as messages that say what to do", "把错误作为消息返回，并说明该怎么做"),
        rules=("CONT05", "FIN04", "PAIR01"),
        words=(
            "crash",
            "exception",
            "traceback",
            "made up",
            "makes up",
            "invent",
            "failed",
            "hallucinat",
            "error after",
            "tool error",
            "tool raise",
            "工具报错",
            "工具出错",
            "出错后",
            "报错后",
            "崩溃",
            "异常",
            "编造",
            "失败",
            "幻觉",
        ),
    ),
    Line(
        key="ignores-result",
        symptom=Said("the answer ignores the result", "回答没有理会工具结果"),
        look=Said(
            "the snapshot before the last model call: `holter show --snapshot N`", "最后一次模型调用之前的快照：`holter show --snapshot N`"
        ),
        cause=Said("the result is absent, stale, cut, or buried in size", "结果不在、是旧的、被截断，或者淹没在大量文本里"),
        remedy=Said("compare snapshots; shorten results", "比较快照；缩短结果"),
        rules=("RUN07", "CONT04", "PAIR03", "CONT05"),
        words=(
            "ignore result",
            "ignores result",
            "ignore output",
            "ignores output",
            "ignore",
            "not use result",
            "not use output",
            "result not used",
            "wrong answer",
            "outdated",
            "stale",
            "忽略",
            "无视",
            "不理会",
            "没有使用 结果",
            "没有用 结果",
            "没用 结果",
            "不用 结果",
        ),
    ),
    Line(
        key="swapped-results",
        symptom=Said("parallel results are swapped or lost", "并行结果错位或丢失"),
        look=Said("ids, order, and the state keys that were written", "id、顺序，以及写入的状态键"),
        cause=Said("ids that are used again or missing, or two writers of one key", "id 重复或缺失，或者两个调用写同一个键"),
        remedy=Said("unique ids, a reducer, or a serial policy", "使用唯一的 id、reducer，或者串行策略"),
        rules=("PAIR05", "PAIR06", "PAIR07", "PAIR08", "RUN03"),
        words=("swap", "parallel", "mixed up", "mix up", "wrong result", "lost result", "concurrent", "并行", "错位", "串了", "丢失"),
    ),
    Line(
        key="drift",
        symptom=Said("the role or the format drifts", "角色或格式发生漂移"),
        look=Said("the system message: is it there, first, and whole?", "系统消息：在不在、是不是第一条、完不完整？"),
        cause=Said("it was trimmed away, contradicted later, or summarised badly", "被裁掉、后来被矛盾的内容覆盖，或者总结得不好"),
        remedy=Said("restore it; keep it out of what is trimmed", "恢复它；裁剪时保留它"),
        rules=("ROLE01", "TRIM02"),
        words=(
            "drift",
            "persona",
            "role",
            "forgets",
            "instructions",
            "format changes",
            "system prompt",
            "角色",
            "漂移",
            "忘记",
            "格式",
            "系统提示",
        ),
    ),
    Line(
        key="cut-empty-costly",
        symptom=Said("the answer is cut, empty or costly", "回答被截断、为空，或者太贵"),
        look=Said("`finish_reason`, output and reasoning tokens, growth of the prompt", "`finish_reason`、输出和推理的 token、提示的增长"),
        cause=Said(
            "a length limit, a filter, a history that has grown, or a cache that was missed",
            "长度上限、内容过滤、历史变长，或者缓存没有命中",
        ),
        remedy=Said("raise the limit, trim in pairs", "提高上限，成对裁剪"),
        rules=("FIN", "STRM", "USE", "READ01"),
        words=(
            "cut",
            "empty",
            "cost",
            "expensive",
            "truncated",
            "length",
            "token",
            "no answer",
            "slow",
            "blank",
            "截断",
            "为空",
            "空的",
            "贵",
            "太长",
        ),
    ),
    Line(
        key="twice",
        symptom=Said("a side effect happened twice", "副作用发生了两次"),
        look=Said("attempts, resumes, and ids in the journal", "日志里的尝试、恢复和 id"),
        cause=Said(
            "a retry after an unclear failure, or a resume that runs the call again", "在结果不明的失败之后重试，或者恢复时再次执行"
        ),
        remedy=Said("an idempotency key; `read_only` and `idempotent` said truly", "使用幂等键；如实声明 `read_only` 和 `idempotent`"),
        rules=("RUN01", "RUN02", "PAIR04", "RUN05"),
        words=("twice", "ran again", "double", "duplicate", "two times", "side effect", "两次", "重复执行", "副作用", "重复扣"),
    ),
)
