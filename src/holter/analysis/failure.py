"""Whether a call failed, by what its result says."""

import re

from holter.messages import ToolMessage

_BEGINS = re.compile(r"\s*(?:[\w.]*(?:Error|Exception|ERROR)\b|error\s*[:：]|错误|(?:调用|执行|查询)?失败)")


def is_failure(message: ToolMessage) -> bool:
    """Whether a result says that its call failed: by its status, or by how its text begins, since most formats have no status."""
    return message.status == "error" or _BEGINS.match(message.text) is not None
