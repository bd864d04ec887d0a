"""A model's server that costs its client nothing but the protocol: `python -m benchmarks.model_server`.

It prints its port. A request without `stream` is answered whole; one with it gets as many chunks as `max_tokens` says, each written by
itself, after `top_k` milliseconds.
"""

from __future__ import annotations

import asyncio
import json
import sys

USAGE = {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920, "prompt_tokens_details": {"cached_tokens": 0}}
BASE = {"id": "chatcmpl-1", "created": 1, "model": "m", "system_fingerprint": "fp_1"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Hangzhou"}'}}
MESSAGE = {"role": "assistant", "content": "I look it up. " * 10, "tool_calls": [CALL], "refusal": None}
WHOLE = json.dumps(
    {
        **BASE,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "tool_calls", "logprobs": None}],
        "usage": USAGE,
    }
).encode()


def event(choices: list[object], **fields: object) -> bytes:
    """One chunk on the wire, as OpenAI sends it."""
    value = {**BASE, "object": "chat.completion.chunk", "choices": choices, "usage": None, **fields}
    data = b"data: " + json.dumps(value).encode() + b"\n\n"
    return b"%x\r\n%b\r\n" % (len(data), data)


CHUNK = event([{"index": 0, "delta": {"content": " word"}, "logprobs": None, "finish_reason": None}])
LAST = event([{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}]) + event([], usage=USAGE)
END = b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers the requests of one connection."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
            asked = json.loads(await reader.readexactly(length))
            if not asked.get("stream"):
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(WHOLE), WHOLE))
                continue
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            for _ in range(asked["max_tokens"]):
                writer.write(CHUNK)
                await asyncio.sleep(asked.get("top_k", 0) / 1_000)
            writer.write(LAST + END)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main() -> None:
    """Serves until standard input ends."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1_000)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
