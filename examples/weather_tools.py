"""Tools of a small assistant: what the weather is like, and a note for later."""

from typing import Annotated, Literal

from holter.tools import ToolRuntime, tool


@tool(read_only=True)
def get_weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> dict[str, object]:
    """The weather in a city now.

    Args:
        city: The city's name, in any language.
        unit: How the temperature is told.
    """
    celsius = 18 + len(city) % 7
    return {"city": city, "sky": "clear", "temperature": celsius if unit == "celsius" else celsius * 9 / 5 + 32}


@tool
def remember(note: Annotated[str, "What to keep, in a sentence."], runtime: ToolRuntime) -> str:
    """Keep a note for a later conversation."""
    if runtime.store is None:
        return "There is no memory to keep it in."
    runtime.store.put(("notes",), str(runtime.tool_call_id), {"text": note})
    return "Kept."


if __name__ == "__main__":
    print(get_weather.invoke({"city": "杭州"}))
