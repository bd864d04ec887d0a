"""What answers: the models that a step asks. `load` gives one by its name; a script and a recording need no provider.

Those that are asked over HTTP are imported when they are loaded. May import: `holter.formats`, `holter.journal`, `holter.messages`,
`holter.errors`. Never `holter.tools`, which stands beside it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from holter.models.answer import Answer
from holter.models.base import ChatModel
from holter.models.request import ModelRequest
from holter.models.scripted import ScriptedModel
from holter.models.tape import TapeModel

if TYPE_CHECKING:
    from holter.models.anthropic import Anthropic
    from holter.models.endpoint import Endpoint
    from holter.models.fallback import FallbackModel
    from holter.models.langchain import LangChainModel
    from holter.models.loading import load
    from holter.models.openai_chat import OpenAIChat
    from holter.models.provider import PROVIDERS, Provider, Quirks
    from holter.models.retry import Retry, Retrying
    from holter.models.timeouts import Timeouts

_LATER = {
    "Anthropic": "anthropic",
    "Endpoint": "endpoint",
    "FallbackModel": "fallback",
    "LangChainModel": "langchain",
    "OpenAIChat": "openai_chat",
    "PROVIDERS": "provider",
    "Provider": "provider",
    "Quirks": "provider",
    "Retry": "retry",
    "Retrying": "retry",
    "Timeouts": "timeouts",
    "load": "loading",
}
"""Names that are imported when they are asked for -> their module: whoever plays a script needs no HTTP."""

__all__ = [
    "PROVIDERS",
    "Answer",
    "Anthropic",
    "ChatModel",
    "Endpoint",
    "FallbackModel",
    "LangChainModel",
    "ModelRequest",
    "OpenAIChat",
    "Provider",
    "Quirks",
    "Retry",
    "Retrying",
    "ScriptedModel",
    "TapeModel",
    "Timeouts",
    "load",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
