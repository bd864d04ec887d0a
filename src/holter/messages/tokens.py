"""A token count without a tokenizer, for budgets that need no more than a good guess."""

from holter.messages.calls import as_json_text
from holter.messages.content import MEDIA, Block, Content
from holter.messages.message import AIMessage, Message

_PER_MESSAGE = 4
_PER_MEDIUM = 1_000
_BYTES_PER_TOKEN = 4


def approximate_tokens(message: Message) -> int:
    """About how many tokens a message costs: a quarter of its UTF-8 bytes, 4 for the message itself, 1,000 for an image or another medium.

    The bytes are those of content, reasoning, and the calls' names and arguments.
    """
    size, media = _content_size(message.content)
    if isinstance(message, AIMessage):
        size += _size(message.reasoning or "")
        size += sum(_size(f"{call.get('name')}{as_json_text(call.get('args'))}") for call in message.calls)
    return _PER_MESSAGE + -(-size // _BYTES_PER_TOKEN) + media * _PER_MEDIUM


def _content_size(content: Content) -> tuple[int, int]:
    """(bytes of text, number of media)."""
    if isinstance(content, str):
        return _size(content), 0
    written = [block for block in content if not _is_medium(block)]
    return sum(_size(as_json_text(block)) for block in written), len(content) - len(written)


def _is_medium(block: Block | str) -> bool:
    """Whether the block is an image or another medium; LangChain lets plain text stand among blocks."""
    return isinstance(block, dict) and block.get("type") in MEDIA


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
