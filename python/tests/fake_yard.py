"""A yard that shares out GPUs as a test tells it to: a real HTTP server on a unix socket."""

from __future__ import annotations

import json
import queue
import socket
import socketserver
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Callable

from surroundings import PATIENCE_SECONDS

Message = dict[str, Any]


class Asked:
    """One connection of a client that wants a lease, or wants to go on with one."""

    def __init__(self, body: Message, job: int, write: Callable[[bytes], None]) -> None:
        self.body = body
        self.job = job
        self.lease = str(body.get("lease", f"{job}.1"))
        self.is_closed = threading.Event()
        self._write = write

    def say(self, message: Message) -> None:
        line = json.dumps(message).encode() + b"\n"
        self._write(b"%x\r\n%s\r\n" % (len(line), line))

    def wait(self, sentence: str) -> None:
        self.say({"state": "waiting", "job": self.job, "sentence": sentence})

    def grant(self, *indexes: int, is_learning: bool = False, **variables: str) -> None:
        chosen = indexes or (0,)
        self.say(
            {
                "state": "granted",
                "job": self.job,
                "lease": self.lease,
                "devices": [
                    {
                        "node": "vm",
                        "index": each,
                        "kind": "simulated",
                        "memoryBytes": 1 << 34,
                        "shareBytes": 1 << 30,
                    }
                    for each in chosen
                ],
                "variables": {
                    "CUDA_VISIBLE_DEVICES": ",".join(map(str, chosen)),
                    "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
                    **variables,
                },
                "isLearning": is_learning,
            }
        )

    def end(self, why: str) -> None:
        self.say({"state": "ended", "why": why})

    def await_close(self) -> None:
        assert self.is_closed.wait(PATIENCE_SECONDS), "the connection is still open"


class FakeYard:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        # What is done with a connection as soon as it is there; by default the lease is granted.
        self.on_ask: Callable[[Asked], None] = lambda asked: asked.grant()
        # Instead of an answer: status and error.
        self.refusal: tuple[int, Message] | None = None
        self.on_refuse: Callable[[], None] = lambda: None
        self.completed: list[tuple[str, Message]] = []
        self._asked: queue.Queue[Asked] = queue.Queue()
        self._completions: queue.Queue[tuple[str, Message]] = queue.Queue()
        self._jobs = 16
        self._starts = 0
        self._connections: set[socket.socket] = set()
        directory.mkdir(parents=True, exist_ok=True)
        self.start()

    def start(self) -> None:
        self._starts += 1
        path = str(self.directory / f"{self._starts}.sock")
        self._server = _Server(path, self)
        (self.directory / "socket").write_text(f"{path}\n")
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def die(self) -> None:
        """As one does that is killed: nothing is said, everything is closed."""
        self._server.shutdown()
        self._server.server_close()
        for connection in list(self._connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def next_asked(self) -> Asked:
        return self._asked.get(timeout=PATIENCE_SECONDS)

    def next_completed(self) -> tuple[str, Message]:
        return self._completions.get(timeout=PATIENCE_SECONDS)

    def is_idle(self) -> bool:
        """Nobody has asked for anything that the test has not looked at."""
        return self._asked.empty()

    def _serve_lease(self, handler: _Handler, body: Message) -> None:
        lock = threading.Lock()

        def write(data: bytes) -> None:
            with lock:
                handler.wfile.write(data)

        self._jobs += 1
        asked = Asked(body, self._jobs, write)
        if self.refusal is not None:
            handler.answer(self.refusal[0], {"error": self.refusal[1]})
            self.on_refuse()
            return
        handler.begin()
        self._connections.add(handler.connection)
        try:
            self.on_ask(asked)
            self._asked.put(asked)
            while handler.connection.recv(1) != b"":
                pass
        except OSError:
            pass
        finally:
            self._connections.discard(handler.connection)
            asked.is_closed.set()

    def _serve_completion(self, handler: _Handler, lease: str, body: Message) -> None:
        self.completed.append((lease, body))
        self._completions.put((lease, body))
        handler.answer(200, {"done": True})


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, path: str, yard: FakeYard) -> None:
        self.yard = yard
        super().__init__(path, _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        parts = self.path.split("/")
        if self.path == "/v1/leases":
            self.server.yard._serve_lease(self, body)
            self.close_connection = True
        elif parts[:3] == ["", "v1", "leases"] and parts[4:] == ["complete"]:
            self.server.yard._serve_completion(self, parts[3], body)
        else:
            self.answer(404, {"error": {"code": "noSuchRoute", "message": "no such route", "hint": None}})

    def begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def answer(self, status: int, body: Message) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def handle(self) -> None:
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            pass

    def address_string(self) -> str:
        return "unix"

    def log_message(self, format: str, *args: Any) -> None:
        pass
