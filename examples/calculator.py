"""A calculator: a model asks for sums, tools do them, and the loop between them goes on until there is an answer.

The model is scripted, so that the program runs anywhere: `MODEL` may be any other model, and nothing else changes.
"""

from typing import Any

from holter import Agent, AIMessage, Run, ScriptedModel, tool


@tool(read_only=True)
def add(a: float, b: float) -> float:
    """Add two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


@tool(read_only=True)
def multiply(a: float, b: float) -> float:
    """Multiply two numbers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a * b


@tool(read_only=True)
def divide(a: float, b: float) -> float:
    """Divide one number by another.

    Args:
        a: The number that is divided.
        b: The number that it is divided by, not 0.
    """
    return a / b


def answer(text: str, *calls: dict[str, Any], tokens_in: int, tokens_out: int, reasoning: int) -> AIMessage:
    """An answer of the script, with the account of its tokens in the two forms in which logs have it."""
    total = tokens_in + tokens_out
    return AIMessage(
        text,
        tool_calls=list(calls),
        usage_metadata={
            "input_tokens": tokens_in,
            "output_tokens": tokens_out,
            "total_tokens": total,
            "input_token_details": {},
            "output_token_details": {"reasoning": reasoning},
        },
        response_metadata={
            "model_name": "scripted model",
            "finish_reason": "tool_calls" if calls else "stop",
            "token_usage": {
                "prompt_tokens": tokens_in,
                "completion_tokens": tokens_out,
                "total_tokens": total,
                "completion_tokens_details": {"reasoning_tokens": reasoning},
            },
        },
    )


def call(name: str, call_id: str, a: float, b: float) -> dict[str, Any]:
    """A call of a tool, as a message holds it."""
    return {"name": name, "args": {"a": a, "b": b}, "id": call_id, "type": "tool_call"}


QUESTION = "What are 10 + 5 and 6 × 7, what is the second divided by the first, and what is it divided by nothing?"
MODEL = ScriptedModel(
    [
        answer("", call("add", "call_1", 10, 5), call("multiply", "call_2", 6, 7), tokens_in=412, tokens_out=96, reasoning=48),
        answer("", call("divide", "call_3", 42, 15), call("divide", "call_4", 42, 0), tokens_in=534, tokens_out=61, reasoning=20),
        answer("10 + 5 is 15, 6 × 7 is 42, and 42 / 15 is 2.8. Nothing can be divided by 0.", tokens_in=672, tokens_out=52, reasoning=17),
    ]
)

agent = Agent(MODEL, tools=[add, multiply, divide], system="You are a calculator. Use the tools for every sum.", name="calculator")


def print_run(run: Run) -> None:
    """Prints each message as it stands in the thread, and what the model's cost."""
    for message in run.messages:
        message.pretty_print()
        if isinstance(message, AIMessage) and message.usage_metadata is not None:
            usage = message.usage_metadata
            thought = usage["output_token_details"]["reasoning"]
            print(
                f"[{usage['input_tokens']} tokens in, {usage['output_tokens']} out, {thought} of them reasoning; {message.finish_reason}]"
            )
    print("=" * 80)
    print(f"{run.status}: {run.usage['input_tokens']} tokens in, {run.usage['output_tokens']} out, {run.usage['total_tokens']} in all")


if __name__ == "__main__":
    print_run(agent.run(QUESTION))
