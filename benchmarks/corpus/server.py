"""A local server that speaks OpenAI chat, plays scenes, and keeps what it was asked and what it said."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from benchmarks.corpus.scene import Json, Said, Scene


class Recorder:
    """The exchanges of each scene, in order."""

    def __init__(self, url: str) -> None:
        self.url = url
        """The base URL: "http://127.0.0.1:…/v1"."""
        self.exchanges: dict[str, list[tuple[Json, Json]]] = {}
        """Scene -> (request body, response body)."""


@contextmanager
def serving(scenes: list[Scene]) -> Iterator[Recorder]:
    """A server for these scenes; a scene is played by the model of its name."""
    by_name = {scene.name: scene for scene in scenes}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the name that the base class calls
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answers = sum(message["role"] == "assistant" for message in request["messages"])
            response = _body(by_name[request["model"]].answer(answers), request["model"], answers)
            recorder.exchanges.setdefault(request["model"], []).append((request, response))
            data = json.dumps(response).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    recorder = Recorder(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield recorder
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _body(said: Said, model: str, number: int) -> Json:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.args, ensure_ascii=False)}}
        for call in said.calls
    ]
    message = {"role": "assistant", "content": said.text or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop", "logprobs": None}
    usage = {"prompt_tokens": 100 + 40 * number, "completion_tokens": 20, "total_tokens": 120 + 40 * number}
    made = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1_790_000_000, "model": model}
    return {**made, "choices": [choice], "usage": usage}
