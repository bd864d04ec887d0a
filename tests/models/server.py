"""A model's server that says what it is told to, byte by byte, over real sockets."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int
    """Which connection it came on, from 0."""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Says:
    """One answer of the script."""

    body: bytes | Sequence[bytes] = b""
    """The pieces, each sent by itself."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    """Before anything is said."""
    pause_s: float = 0.0
    """Before each piece but the first."""
    cut: int | None = None
    """After so many bytes of the body, in chunks or not, the connection is closed."""
    reset: bool = False
    """Whether it is reset in place of closed, where it is cut or without an answer."""
    hangs: bool = False
    """Whether nothing follows the pieces, not even the end."""
    silent: bool = False
    """Whether not even a status is said."""
    chunked: bool = True
    closes: bool = False
    """Whether the body ends with the connection, and no length is said."""

    @property
    def pieces(self) -> list[bytes]:
        return [self.body] if isinstance(self.body, bytes) else list(self.body)


Script = Says | Sequence[Says] | Callable[[Asked], Says]


class Server:
    """Answers each request with the next of the script, and the last one again and again."""

    def __init__(self, script: Script) -> None:
        self.requests: list[Asked] = []
        self.closed_early = threading.Event()
        """Set when the other side closed while an answer was still being said."""
        self._script = script
        self._lock = threading.Lock()
        self._connections = 0
        self._stopping = threading.Event()
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=600)
        self.port: int = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def connections(self) -> int:
        return self._connections

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for open_socket in list(self._open):
            with suppress(OSError):
                open_socket.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    def _start(self, target: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            number, self._connections = self._connections, self._connections + 1
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.add(connection)
            self._start(self._serve, connection, number)

    def _serve(self, connection: socket.socket, number: int) -> None:
        with connection, suppress(OSError):
            try:
                reader = connection.makefile("rb")
                while (asked := _read(reader, number)) is not None and self._answer(connection, asked):
                    pass
            finally:
                self._open.discard(connection)

    def _answer(self, connection: socket.socket, asked: Asked) -> bool:
        """Whether the connection stays open."""
        with self._lock:
            self.requests.append(asked)
            says = self._next(asked)
        if self._stopping.wait(says.delay_s) or (says.silent and not says.hangs):
            return self._drop(connection, says)
        if says.silent:
            self._hang(connection)
            return False
        connection.sendall(_head(says))
        left = says.cut
        for at, piece in enumerate(says.pieces):
            if at and self._stopping.wait(says.pause_s):
                return False
            raw = _framed(piece) if says.chunked else piece
            if left is not None and left <= len(raw):
                connection.sendall(raw[:left])
                return self._drop(connection, says)
            left = None if left is None else left - len(raw)
            try:
                connection.sendall(raw)
            except OSError:
                self.closed_early.set()
                raise
        if says.hangs:
            self._hang(connection)
            return False
        connection.sendall(b"0\r\n\r\n" if says.chunked else b"")
        return not says.closes

    def _hang(self, connection: socket.socket) -> None:
        """Waits until the other side, or the test, has had enough."""
        connection.settimeout(0.02)
        while not self._stopping.is_set():
            try:
                if not connection.recv(1):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        if not self._stopping.is_set():
            self.closed_early.set()

    def _drop(self, connection: socket.socket, says: Says) -> bool:
        if says.reset:
            time.sleep(0.01)  # what was sent before is lost where the reset overtakes it
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    def _next(self, asked: Asked) -> Says:
        if callable(self._script):
            return self._script(asked)
        if isinstance(self._script, Says):
            return self._script
        return self._script[min(len(self.requests), len(self._script)) - 1]


def _read(reader: Any, number: int) -> Asked | None:
    first = reader.readline().decode().split()
    if len(first) < 2:
        return None
    headers: dict[str, str] = {}
    while (line := reader.readline().decode().strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return Asked(first[0], first[1], headers, reader.read(int(headers.get("content-length", 0))), number)


def _head(says: Says) -> bytes:
    headers = {"content-type": "application/json", **says.headers}
    if says.chunked:
        headers["transfer-encoding"] = "chunked"
    elif not says.closes:
        headers["content-length"] = str(sum(map(len, says.pieces)))
    lines = [f"HTTP/1.1 {says.status} Said", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _framed(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b""


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    """A server for this script."""
    with Server(script) as server:
        yield server


# What is said


def says_json(value: Any, status: int = 200, **fields: Any) -> Says:
    """A whole answer."""
    return Says(json.dumps(value, ensure_ascii=False).encode(), status, chunked=False, **fields)


def says_events(events: Sequence[Any], *, done: bool = True, **fields: Any) -> Says:
    """A stream of OpenAI's kind, each event a piece."""
    pieces = [b"data: " + json.dumps(event, ensure_ascii=False).encode() + b"\n\n" for event in events]
    return Says([*pieces, b"data: [DONE]\n\n"] if done else pieces, headers={"content-type": "text/event-stream"}, **fields)


def gzipped(says: Says) -> Says:
    """The same, packed."""
    whole = gzip.compress(b"".join(says.pieces))
    pieces = [whole[at : at + 7] for at in range(0, len(whole), 7)] if says.chunked else whole
    return Says(pieces, says.status, {**says.headers, "content-encoding": "gzip"}, chunked=says.chunked)


USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def chat(content: str | None = "Hello", finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    """A response body of OpenAI chat."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish, "logprobs": None}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m-1", "choices": [choice], "usage": USAGE}


def deltas(*given: dict[str, Any], finish: str | None = "stop", usage: bool = True) -> list[dict[str, Any]]:
    """The events of a stream of OpenAI chat that brings these deltas."""
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m-1"}
    events = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in ({"role": "assistant"}, *given)]
    if finish:
        events.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return [*events, {**base, "choices": [], "usage": USAGE}] if usage else events


def call(name: str, arguments: str, call_id: str = "c1", index: int = 0) -> dict[str, Any]:
    """A call as OpenAI writes it."""
    return {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
