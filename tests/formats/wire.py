"""OpenAI chat as it stands on the wire, plain and odd, for properties."""

import json
from typing import Any

from hypothesis import strategies as st

from tests.strategies import json_objects, json_values, texts

_ODD = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), texts, json_objects, st.lists(texts, max_size=2))

arguments = st.one_of(
    json_objects.map(json.dumps),
    st.sampled_from(
        ["", "null", "NaN", "[1]", '{"a": NaN}', '{"a": 1', '"{}"', " {} ", '{"a": 1, "a": 2}', '{"a": "\\ud800"}', '{"a": 1e999}']
    ),
)
"""What stands in `arguments` as text."""


def _mostly(usual: st.SearchStrategy[Any], odd: st.SearchStrategy[Any] = _ODD) -> st.SearchStrategy[Any]:
    return st.integers(0, 9).flatmap(lambda n: odd if n == 0 else usual)


def _fields(required: dict[str, st.SearchStrategy[Any]], **optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional)


calls = _fields(
    {"function": _fields({"name": st.one_of(texts, st.none()), "arguments": _mostly(arguments)})},
    id=_mostly(texts),
    type=st.sampled_from(["function", "function", "custom", None]),
    index=st.integers(0, 1),
)

blocks = st.one_of(
    _fields({"type": st.just("text"), "text": texts}),
    _fields(
        {
            "type": st.just("image_url"),
            "image_url": _fields({"url": st.sampled_from(["https://x/y.png", "data:image/png;base64,AA=="])}, detail=texts),
        }
    ),
    _fields({"type": st.just("input_audio"), "input_audio": _fields({"data": texts, "format": st.sampled_from(["wav", "mp3"])})}),
    _fields({"type": st.just("file"), "file": _fields({"file_id": texts}, filename=texts)}),
    _fields({"type": st.just("refusal"), "refusal": texts}),
    _fields({"type": st.just("odd")}, value=json_values),
)

_contents = _mostly(texts, st.one_of(st.none(), st.lists(blocks, max_size=3)))

messages = st.one_of(
    _fields({"role": st.sampled_from(["system", "developer", "user"]), "content": _contents}, name=_mostly(texts)),
    _fields({"role": st.just("tool"), "content": _contents, "tool_call_id": _mostly(texts)}, name=_mostly(texts)),
    _fields(
        {"role": st.just("assistant")},
        content=st.one_of(st.none(), _contents),
        tool_calls=_mostly(st.lists(calls, max_size=2)),
        reasoning_content=_mostly(texts),
        refusal=st.one_of(st.none(), texts),
        name=texts,
    ),
    _fields({"role": st.just("assistant"), "content": _contents, "function_call": _fields({"name": texts, "arguments": arguments})}),
    _fields({"role": st.just("function"), "name": texts, "content": texts}),
    _fields({"role": st.sampled_from(["user", "assistant", "tool", "critic"]), "content": _contents, "weight": _ODD, "at": _ODD}),
)

tools = _mostly(
    st.lists(
        st.one_of(
            _fields(
                {
                    "type": st.just("function"),
                    "function": _fields({"name": texts}, description=texts, parameters=json_objects, strict=st.booleans()),
                }
            ),
            _fields({"name": texts}, description=texts, parameters=json_objects, input_schema=json_objects),
            json_objects,
        ),
        max_size=2,
    )
)

records = _fields(
    {"messages": st.lists(messages, min_size=1, max_size=5)},
    tools=tools,
    model=_mostly(texts),
    temperature=_mostly(st.floats(0, 2)),
    max_tokens=_mostly(st.integers(0, 100)),
    stream=_mostly(st.booleans()),
    tool_choice=json_values,
    parallel_tool_calls=_mostly(st.booleans()),
    run=json_values,
)

plain_calls = _fields({"id": texts, "function": st.fixed_dictionaries({"name": texts, "arguments": arguments})}, type=st.just("function"))

plain_messages = st.one_of(
    _fields({"role": st.sampled_from(["system", "user"]), "content": texts}, name=st.one_of(st.none(), texts)),
    _fields({"role": st.just("tool"), "content": texts, "tool_call_id": texts}, name=st.one_of(st.none(), texts)),
    _fields(
        {"role": st.just("assistant")},
        content=st.one_of(st.none(), texts),
        tool_calls=st.one_of(st.none(), st.lists(plain_calls, max_size=3)),
        reasoning_content=st.one_of(st.none(), texts),
        refusal=st.none(),
    ),
)
"""What the fast reader takes, and messages without a body."""

plain_records = _fields(
    {"messages": st.lists(plain_messages, min_size=1, max_size=5)},
    tools=tools,
    model=texts,
    temperature=st.one_of(st.floats(0, 2), st.integers(0, 2)),
    max_tokens=st.integers(0, 100),
    stream=st.booleans(),
    tool_choice=json_values,
    parallel_tool_calls=st.booleans(),
)
