"""What answers: the models that a step asks. For now two that need no provider, one of answers by hand and one of a recording.

May import: `holter.formats`, `holter.journal`, `holter.messages`, `holter.errors`. Never `holter.tools`, which stands beside it.
"""

from holter.models.answer import Answer
from holter.models.base import ChatModel
from holter.models.request import ModelRequest
from holter.models.scripted import ScriptedModel
from holter.models.tape import TapeModel

__all__ = ["Answer", "ChatModel", "ModelRequest", "ScriptedModel", "TapeModel"]
