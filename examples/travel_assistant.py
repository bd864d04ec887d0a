"""A travel assistant: hotels and the weather are looked up at the same time, and one answer is made of both.

The tools really run, on a small table; the model is scripted and composes its answers from what the tools returned, so that no provider is
needed. Try `holter run examples/travel_assistant.py:agent "周六想住在西湖边"`, or `holter chat` with it.

`HOLTER_MODEL=deepseek:deepseek-v4-flash` in the environment names a real model in its place; `holter models` lists what there is.
"""

import json
import os
from typing import Any, TypedDict

from holter import Agent, AIMessage, HumanMessage, ScriptedModel, ToolMessage, tool
from holter.models import ModelRequest

SATURDAY = "2026-10-31"
ROOMS = {("西湖", SATURDAY): [("湖畔居", 300, 680), ("柳浪客栈", 900, 420), ("断桥驿", 1_600, 310)]}
WEATHER = {("杭州", SATURDAY): ("晴", 14, 22), ("上海", SATURDAY): ("小雨", 12, 17)}


class Hotel(TypedDict):
    """A hotel with a free room."""

    name: str
    metres: int
    """How far it is, on foot."""
    price_cny: int


@tool(read_only=True)
def search_hotels(area: str, night: str) -> list[Hotel]:
    """Hotels near a place that have a room for the night, nearest first.

    Args:
        area: A place or sight to be near to, in Chinese: 西湖.
        night: The night, as YYYY-MM-DD.
    """
    rooms = next((rooms for (place, when), rooms in ROOMS.items() if place in area and when == night), [])
    return [{"name": name, "metres": metres, "price_cny": price} for name, metres, price in rooms]


@tool(read_only=True)
def get_weather(city: str, day: str) -> str:
    """The forecast for one day.

    Args:
        city: The city, in Chinese: 杭州.
        day: The day, as YYYY-MM-DD.
    """
    name = city.removesuffix("市")
    if (name, day) not in WEATHER:
        raise LookupError(f"no forecast for {city} on {day}")
    sky, low, high = WEATHER[name, day]
    return f"{sky}，{low}–{high} °C"


# The script: what a model would say


def says(request: ModelRequest) -> AIMessage:
    """Asks both tools after every question, and answers when their results are there."""
    if isinstance(request.messages[-1], HumanMessage):
        turn = sum(isinstance(message, HumanMessage) for message in request.messages)
        calls = [
            called("search_hotels", f"call_{turn}_hotels", area="西湖", night=SATURDAY),
            called("get_weather", f"call_{turn}_weather", city="杭州", day=SATURDAY),
        ]
        return accounted(AIMessage("我同时查酒店和天气。", tool_calls=calls), tokens_in=286 * turn, tokens_out=74)
    results = {message.name: message.text for message in request.messages[-2:] if isinstance(message, ToolMessage)}
    return accounted(AIMessage(composed(results)), tokens_in=431, tokens_out=88)


def composed(results: dict[str | None, str]) -> str:
    """The answer that the results come to."""
    hotels: list[Hotel] = json.loads(results["search_hotels"])
    lines = [f"- {hotel['name']}：离湖 {hotel['metres']} 米，{hotel['price_cny']} 元" for hotel in hotels]
    best = hotels[0]["name"]
    return "\n".join([f"周六杭州{results['get_weather']}，带一件薄外套。", "", *lines, "", f"想多在湖边走走就选{best}。要预订吗？"])


def called(name: str, call_id: str, **args: str) -> dict[str, Any]:
    """A call of a tool, as a message holds it."""
    return {"name": name, "args": args, "id": call_id, "type": "tool_call"}


def accounted(message: AIMessage, tokens_in: int, tokens_out: int) -> AIMessage:
    """The message with what it cost."""
    total = tokens_in + tokens_out
    return message.replace(
        usage_metadata={
            "input_tokens": tokens_in,
            "output_tokens": tokens_out,
            "total_tokens": total,
            "input_token_details": {},
            "output_token_details": {},
        },
        response_metadata={
            "model_name": "scripted model",
            "finish_reason": "tool_calls" if message.tool_calls else "stop",
            "token_usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": total},
        },
    )


MODEL = os.environ.get("HOLTER_MODEL")
"""The name of a real model; without one the script plays."""

agent = Agent(
    MODEL or ScriptedModel(says, name="scripted model"),
    tools=[search_hotels, get_weather],
    system="You plan short trips. Today is Thursday, 2026-10-29. Answer briefly. When you look up the weather, say what to wear.",
    name="travel assistant",
)

if __name__ == "__main__":
    print(f"The model is {MODEL or 'scripted: no provider is asked'}. The tools really run.\n")
    agent.run("我想周六去杭州，住在西湖边。帮我找酒店，再看看当天的天气。", thread="trip").show()
