"""Made-up OpenAI chat logs of any size, the same on every machine and in every run.

The shape is that of recorded tool-using runs: a system prompt of about 1.5 kB, user turns, assistant messages whose calls carry
their arguments as a JSON string, results of about 600 bytes with a long tail (tables as JSON text, so full of escaped quotes); every
fifth conversation is partly Chinese.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec

Json = dict[str, Any]

ENGLISH = (
    "the of and to in for on with order flight booking customer account address refund ticket seat gate date price total city please check "
    "find update cancel confirm change request result status error retry policy item product payment card mail station train hotel room "
    "night guest service fee bag window aisle meal time zone morning evening airport departure arrival"
).split(" ")
CHINESE = [*ENGLISH[:40], *"预订 航班 天气 查询 结果 请问 多少 工具 调用 城市 温度 明天 上海 价格 确认 退款 地址 时间 酒店 房间".split(" ")]
TOOL_NAMES = ("get_weather", "search_flights", "get_reservation_details", "update_order", "calculator")


class Shape(msgspec.Struct, frozen=True):
    """What a generated log is like."""

    name: str
    short: bool = False
    """Messages of about 200 bytes and long conversations, in place of full-sized ones."""
    unknown_fields: bool = False
    """Records and messages also carry fields that no specification knows."""


class Sample(msgspec.Struct, frozen=True):
    """A file that was written, and what a reader of it has to find."""

    path: Path
    size_bytes: int
    conversations: int
    messages: int
    calls: int


def record_lines(shape: Shape, random: Random) -> Iterator[tuple[bytes, list[Json]]]:
    """Records without end: the JSON of one, without a newline, and its messages. Three of four are objects, the fourth a bare list."""
    english, chinese = sentences_of(ENGLISH, random), sentences_of(CHINESE, random)
    prompt = paragraph(random, english, 1500)
    tools = [tool(name, random, english) for name in TOOL_NAMES]
    number = 0
    while True:
        messages = conversation(shape, random, chinese if number % 5 == 0 else english, prompt)
        record: Json | list[Json] = messages
        if shape.unknown_fields or number % 4:
            record = {"messages": messages, "tools": tools}
        if shape.unknown_fields and isinstance(record, dict):
            record |= {"run": f"run-{number}", "score": random.random(), "labels": {"split": "test", "seed": number, "ok": True}}
        yield json.dumps(record, ensure_ascii=False).encode(), messages
        number += 1


def sentences_of(words: list[str], random: Random) -> list[str]:
    """Sentences to make text of; choosing whole ones is what makes a big file quick to write."""
    return [" ".join(random.choices(words, k=random.randint(6, 18))).capitalize() + "." for _ in range(600)]


def conversation(shape: Shape, random: Random, sentences: list[str], prompt: str) -> list[Json]:
    """The messages of one conversation, every call answered."""
    result: list[Json] = [{"role": "system", "content": paragraph(random, sentences, 150) if shape.short else prompt}]
    for _ in range(random.randint(4, 12) if shape.short else random.randint(1, 5)):
        result.append({"role": "user", "content": paragraph(random, sentences, 130)})
        for _ in range(random.randint(1, 2)):
            result += call_and_results(shape, random, sentences)
        result.append({"role": "assistant", "content": paragraph(random, sentences, 140 if shape.short else 350)})
    if shape.unknown_fields:
        for position, message in enumerate(result):
            span = f"{random.getrandbits(64):016x}"
            message.update(at=f"2025-03-01T10:{position % 60:02}:00Z", weight=1.0, trace={"span": span, "depth": 2})
    return result


def call_and_results(shape: Shape, random: Random, sentences: list[str]) -> Iterator[Json]:
    """An assistant message with one to three calls, and their results in order."""
    calls = [call(shape, random, sentences) for _ in range(1 if shape.short else random.choice((1, 1, 1, 2, 3)))]
    yield {"role": "assistant", "content": None, "tool_calls": calls}
    for made in calls:
        size = 110 if shape.short else min(6000, 60 + int(random.expovariate(1 / 540)))
        content = result_text(random, sentences, size)
        yield {"role": "tool", "tool_call_id": made["id"], "name": made["function"]["name"], "content": content}


def call(shape: Shape, random: Random, sentences: list[str]) -> Json:
    """One tool call; the arguments are a JSON string, as on the wire."""
    arguments: Json = {"id": random.randint(1, 10**6), "city": random.choice(ENGLISH), "exact": random.random() < 0.5}
    if not shape.short:
        arguments |= {"query": random.choice(sentences), "passengers": [{"name": random.choice(ENGLISH), "age": random.randint(1, 90)}]}
    name = random.choice(TOOL_NAMES)
    call_id = f"call_{random.getrandbits(96):024x}"
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}}


def result_text(random: Random, sentences: list[str], size: int) -> str:
    """A tool's answer of about `size` characters: rows as JSON text, or prose of several lines."""
    if random.random() < 0.3:
        return paragraph(random, sentences, size, "\n")
    rows = [
        {"id": random.randint(1, 10**6), "name": random.choice(sentences)[:40], "price": random.randint(1, 10**5) / 100, "available": True}
        for _ in range(max(1, size // 100))
    ]
    return json.dumps(rows, ensure_ascii=False)


def paragraph(random: Random, sentences: list[str], size: int, joint: str = " ") -> str:
    """Sentences until `size` characters are reached."""
    chosen: list[str] = []
    length = 0
    while length < size:
        chosen.append(random.choice(sentences))
        length += len(chosen[-1]) + 1
    return joint.join(chosen)


def tool(name: str, random: Random, sentences: list[str]) -> Json:
    """A tool as a request offers it."""
    properties = {
        "id": {"type": "integer", "description": random.choice(sentences)},
        "city": {"type": "string", "description": random.choice(sentences)},
        "exact": {"type": "boolean"},
    }
    parameters = {"type": "object", "properties": properties, "required": ["id"]}
    return {"type": "function", "function": {"name": name, "description": random.choice(sentences), "parameters": parameters}}


def write(
    path: Path,
    shape: Shape,
    size_bytes: int,
    *,
    before: bytes = b"",
    joint: bytes = b"\n",
    after: bytes = b"\n",
    distinct: int | None = None,
) -> Sample:
    """Writes records until `size_bytes` are reached: `before`, the records with `joint` between them, `after`.

    Only the first `distinct` records are made, and come again from there; None: every record is another one.
    """
    records = record_lines(shape, Random(1))  # the fixed seed makes every file the same
    if distinct is not None:
        records = cycled([next(records) for _ in range(distinct)])
    conversations = messages = calls = 0
    with path.open("wb") as file:
        size = file.write(before)
        for line, made in records:
            size += file.write(line)
            conversations += 1
            messages += len(made)
            calls += sum(len(message.get("tool_calls", ())) for message in made)
            if size >= size_bytes:
                break
            size += file.write(joint)
        size += file.write(after)
    return Sample(path, size, conversations, messages, calls)


def cycled(records: list[tuple[bytes, list[Json]]]) -> Iterator[tuple[bytes, list[Json]]]:
    """The records over and over."""
    while True:
        yield from records
