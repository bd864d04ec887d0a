"""Models in GGUF files, run in this process by llama.cpp: needs xllamacpp (extra `local`).

llama.cpp's own server listens on a port of the loopback that the system chooses, behind a key that is made for it, and is asked as any
other.
Source: xllamacpp 2026.10, seen 2026-11.
"""

from __future__ import annotations

import os
import secrets
import threading
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from holter.models.endpoint import Endpoint
from holter.models.openai_chat import OpenAIChat
from holter.models.provider import PROVIDERS

CONTEXT_TOKENS = 8_192
"""How long a history and its answer may be together where nothing is said."""

# llama.cpp's threads would otherwise wait for work at full speed, on every core.
_CALM = ("OMP_WAIT_POLICY", "passive")


class GGUFModel(OpenAIChat):
    """A model in a file: "PATH", or "PATH?context=4096&threads=4&template=tools.jinja". The file is loaded when the model is made, once for
    all models of one process that name it with the same options."""

    def __init__(self, path: str, **options: Any) -> None:
        file, _, query = path.partition("?")
        given = dict(parse_qsl(query))
        if unknown := given.keys() - _OPTIONS:
            raise ValueError(f"a GGUF model takes the options {', '.join(sorted(_OPTIONS))}, found {sorted(unknown)[0]!r}")
        file = os.path.expanduser(file)
        if not Path(file).is_file():
            raise ValueError(f"there is no GGUF file {file!r}; 'gguf:PATH' names one on this machine")
        context = _number(given.get("context"), "context", CONTEXT_TOKENS)
        threads = _number(given.get("threads"), "threads", 0)
        running = _SERVERS.get(str(Path(file).resolve()), context, threads, given.get("template"))
        options.setdefault("window_tokens", None)
        if options["window_tokens"] is None:
            options["window_tokens"] = context
        endpoint = Endpoint(running.url, key=running.key)
        super().__init__(f"gguf:{file}", Path(file).stem, endpoint, quirks=PROVIDERS["llamacpp"].quirks, **options)
        self._running = running

    @property
    def url(self) -> str:
        """Where its server listens."""
        return self._running.url

    def stop(self) -> None:
        """Ends the server and frees the memory; for every model that names the file. It cannot be asked any more."""
        _SERVERS.stop(self._running)


_OPTIONS = frozenset({"context", "threads", "template"})


def _number(text: str | None, name: str, default: int) -> int:
    if text is None:
        return default
    if not text.isdecimal():
        raise ValueError(f"{name} is a whole number, found {text!r}")
    return int(text)


class _Running:
    """A server that runs."""

    def __init__(self, path: str, context: int, threads: int, template: str | None) -> None:
        os.environ.setdefault(*_CALM)
        try:
            import xllamacpp  # type: ignore[import-untyped, unused-ignore]
        except ImportError:
            raise ImportError("models in GGUF files need xllamacpp: pip install 'holter[local]'") from None

        self.key = secrets.token_urlsafe(24)
        params = xllamacpp.CommonParams()
        params.model.path = path
        params.model_alias = {Path(path).stem}  # what answers say that they come from; else it is the whole path
        params.n_ctx = context
        params.n_parallel = 1
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [self.key]
        params.use_jinja = True
        params.ui = False
        params.verbosity = 0
        if threads:
            params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        if template:
            params.chat_template = Path(template).expanduser().read_text()
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise ValueError(f"llama.cpp cannot load {path!r}: is it a whole GGUF file, and is there memory for it? ({error})") from None
        self.url = f"{self._server.listening_address.rstrip('/')}/v1"

    def stop(self) -> None:
        """Ends it."""
        self._server = None


class _Servers:
    """The servers of this process, each begun when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[tuple[str, int, int, str | None], _Running] = {}

    def get(self, path: str, context: int, threads: int, template: str | None) -> _Running:
        with self._lock:
            key = (path, context, threads, template)
            if key not in self._running:
                self._running[key] = _Running(path, context, threads, template)
            return self._running[key]

    def stop(self, running: _Running) -> None:
        """Ends one; nothing where it has ended."""
        with self._lock:
            self._running = {key: other for key, other in self._running.items() if other is not running}
            running.stop()


_SERVERS = _Servers()
