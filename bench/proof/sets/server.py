"""Serves the tools of one public benchmark over MCP (streamable HTTP), with one task at a time.

    python server.py SET FOLDER [PORT STATE]

SET is a module of this folder, FOLDER a checkout. Prints the port. The benchmark controls it at /control: it begins a task with a
fault, and reads the end state and the log of calls, whose truth no client can change.
"""

import gc
import importlib
import json
import os
import pickle
import socket
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NOT_FOUND = 404
LATE_SECONDS = 0.25
HELD_SECONDS = 900
OBJECTS_BETWEEN_COLLECTIONS = 100_000


class Task:
    """The state of one task, and what happened in it."""

    def __init__(self, tools, fault):
        self.tools = tools
        self.fault = fault or {}
        self.log = []
        self.received = 0

    def call(self, name, arguments):
        # A copy: some benchmarks keep the lists of their arguments, and change them later.
        entry = {"name": name, "arguments": plain(arguments)}
        try:
            entry["value"] = plain(self.tools.call(name, arguments))
        except Exception as error:  # The tools of others raise what they like.
            entry["error"] = f"{type(error).__name__}: {error}"
        self.log.append(entry)
        return entry


def plain(value):
    """Returns a value as JSON has it."""
    dump = getattr(value, "model_dump", None)
    return json.loads(json.dumps(dump(mode="json") if dump else value, default=default))


def default(value):
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if dump else str(value)


class Service:
    def __init__(self, benchmark):
        self.benchmark = benchmark
        self.lock = threading.Lock()
        self.sessions = set()
        self.task = None
        self.reached = threading.Event()
        self.released = threading.Event()
        self.restart = None

    def control(self, request):
        if request["do"] == "list":
            return {"tools": self.benchmark.tools(), "tasks": self.benchmark.tasks()}
        if request["do"] == "begin":
            self.released.set()
            with self.lock:
                self.reached.clear()
                self.released = threading.Event()
                self.task = Task(self.benchmark.begin(request["task"]), request.get("fault"))
            return {}
        if request["do"] == "reached":
            return {"reached": self.reached.wait(request["seconds"])}
        if request["do"] == "end":
            with self.lock:
                return {"state": plain(self.task.tools.state()), "log": self.task.log}
        raise ValueError(request["do"])

    def answer(self, message, release):
        """Returns the result of a request. `release` ends the lock while an answer is held."""
        method = message["method"]
        if method == "initialize":
            version = message["params"]["protocolVersion"]
            info = {"name": "tasks", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        if method == "tools/list":
            return {"tools": self.benchmark.tools()}
        if method != "tools/call":
            return {}
        task = self.task
        task.received += 1
        fault = task.fault if task.received == task.fault.get("at") else {}
        if fault.get("kind") == "before":
            self.hold(task, release)
            raise ConnectionAbortedError
        entry = task.call(message["params"]["name"], message["params"].get("arguments") or {})
        if fault.get("kind") == "after":
            self.hold(task, release)
            raise ConnectionAbortedError
        if task.fault.get("kind") == "late":
            time.sleep(LATE_SECONDS)
        if fault.get("kind") == "restart":
            self.restart = task
        return result(entry)

    def hold(self, task, release):
        self.reached.set()
        release()
        self.released.wait(HELD_SECONDS)


def result(entry):
    if "error" in entry:
        return {"content": [{"type": "text", "text": entry["error"]}], "isError": True}
    value = entry["value"]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    found = {"content": [{"type": "text", "text": text}]}
    if isinstance(value, dict):
        found["structuredContent"] = value
    return found


def handler(service):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            self.reply(405, b"")

        def do_DELETE(self):
            service.sessions.discard(self.headers.get("Mcp-Session-Id"))
            self.reply(200, b"")

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/control":
                self.reply(200, json.dumps(service.control(body)).encode())
                return
            service.lock.acquire()
            held = [True]

            def release():
                if held.pop():
                    service.lock.release()

            try:
                self.serve(body, release)
            except ConnectionAbortedError:
                self.close_connection = True
            finally:
                if held:
                    release()
            if service.restart:
                restart(service, self.server)

        def serve(self, message, release):
            session = self.headers.get("Mcp-Session-Id")
            method = message.get("method")
            if method == "initialize":
                session = uuid.uuid4().hex
                service.sessions.add(session)
            elif session not in service.sessions:
                self.reply(NOT_FOUND, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}')
                return
            if "id" not in message:
                self.reply(202, b"")
                return
            task = service.task
            fault = task.fault if task else {}
            if method == "tools/call" and fault.get("kind") == "session" and task.received + 1 == fault["at"]:
                fault["at"] = 0
                service.sessions.clear()
                self.reply(NOT_FOUND, b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}')
                return
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": service.answer(message, release)}
            text = json.dumps(answer, ensure_ascii=False)
            if method == "tools/call" and fault.get("kind") == "twice":
                event = f"event: message\ndata: {text}\n\n"
                self.reply(200, (event + event).encode(), session, "text/event-stream")
            else:
                self.reply(200, text.encode(), session)

        def reply(self, status, body, session=None, kind="application/json"):
            self.send_response(status)
            if service.restart:
                # Like a server that ends in order: it accepts no connection any more, and the client must not send its next request on this one.
                self.server.socket.shutdown(socket.SHUT_RDWR)
                self.send_header("Connection", "close")
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if session:
                self.send_header("Mcp-Session-Id", session)
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()

    return Handler


def restart(service, server):
    """Starts this process again at the same port: its sessions are lost, and the task goes on."""
    state = Path(os.environ["PROOF_STATE"])
    task, service.restart = service.restart, None
    task.fault = {}
    state.write_bytes(pickle.dumps((task.log, task.received, service.benchmark.save(task.tools))))
    port = str(server.server_address[1])
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:4], port, "again"])


def end_with_input():
    """Ends this process with the benchmark that started it."""
    sys.stdin.buffer.read()
    os._exit(0)


def main():
    name, folder, *rest = sys.argv[1:]
    benchmark = importlib.import_module(name).open_checkout(Path(folder))
    # A task opens a hundred thousand objects, and few of them end with it.
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    service = Service(benchmark)
    if len(rest) > 1:
        log, received, saved = pickle.loads(Path(os.environ["PROOF_STATE"]).read_bytes())
        service.task = Task(benchmark.restore(saved), {})
        service.task.log, service.task.received = log, received
    ThreadingHTTPServer.allow_reuse_address = True
    server = ThreadingHTTPServer(("127.0.0.1", int(rest[0]) if rest else 0), handler(service))
    threading.Thread(target=end_with_input, daemon=True).start()
    print(server.server_address[1], flush=True)
    # Some benchmarks print.
    sys.stdout = sys.stderr
    server.serve_forever()


main()
