"""Tools that write the graph's state: each returns a Command with a field, and the message that answers its call."""

from typing import Any, Literal

from holter import END, START, Command, HumanMessage, MessagesState, ScriptedModel, StateGraph, ToolMessage, ToolNode, ToolRuntime, tool


class OrderState(MessagesState):
    """A conversation about an order, and what is known of it so far."""

    stock: int
    price_eur: float


STOCK = {"lamp": 12, "chair": 3}
PRICE_EUR = {"lamp": 24.5, "chair": 80.0}


@tool
def check_stock(item: str, runtime: ToolRuntime) -> Command[Any]:
    """How many pieces are in stock.

    Args:
        item: What is asked for.
    """
    left = STOCK[item]
    return Command(update={"stock": left, "messages": [ToolMessage(f"{left} in stock", tool_call_id=runtime.tool_call_id)]})


@tool
def quote(item: str, pieces: int, runtime: ToolRuntime) -> Command[Any]:
    """What an order costs.

    Args:
        item: What is ordered.
        pieces: How many.
    """
    price = PRICE_EUR[item] * pieces
    return Command(update={"price_eur": price, "messages": [ToolMessage(f"{price:.2f} €", tool_call_id=runtime.tool_call_id)]})


@tool
def reserve(item: str, pieces: int, runtime: ToolRuntime[Any, OrderState]) -> str:
    """Set pieces aside. Needs the stock and the price to be known.

    Args:
        item: What is ordered.
        pieces: How many.
    """
    known = runtime.state
    if pieces > known["stock"]:
        raise ValueError(f"only {known['stock']} of {item} are there")
    return f"{pieces} × {item} set aside for {known['price_eur']:.2f} €"


tools = [check_stock, quote, reserve]
model = ScriptedModel(
    [
        [{"name": "check_stock", "args": {"item": "chair"}}, {"name": "quote", "args": {"item": "chair", "pieces": 2}}],
        [{"name": "reserve", "args": {"item": "chair", "pieces": 2}}],
        "Two chairs are set aside for you: 160.00 €.",
    ]
).bind_tools(tools)


def ask(state: OrderState) -> dict[str, Any]:
    """Asks the model."""
    return {"messages": [model.invoke(state["messages"])]}


def route(state: OrderState) -> Literal["tools", "__end__"]:
    """On to the tools, as long as the model calls some."""
    return "tools" if state["messages"][-1].tool_calls else END  # type: ignore[union-attr]


builder = StateGraph(OrderState)
builder.add_node("ask", ask)
builder.add_node("tools", ToolNode(tools))
builder.add_edge(START, "ask")
builder.add_conditional_edges("ask", route)
builder.add_edge("tools", "ask")
graph = builder.compile()

if __name__ == "__main__":
    result = graph.invoke({"messages": [HumanMessage("Two chairs, please.")]})
    for message in result.pop("messages"):
        message.pretty_print()
    print("=" * 30, "the rest of the state", "=" * 30)
    print(result)
