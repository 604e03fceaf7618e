"""The files of a program: the folder `/workspace`, and files that only the host has."""
import base64
import builtins
import io
import os
import weakref

from .events import Events
from .folder import Folder
from .remote import is_remote, open_remote, remote_functions, require_code
from .system import install_system
from .times import FileTimes
from .transfer import Transfer

ROOT = "/workspace"


class Files:
    """The files of one program. `api` has the functions of programs for files, by name."""

    def __init__(self, bridge):
        self._bridge = bridge
        self._opened = weakref.WeakSet()
        self._is_finished = False
        self._times = FileTimes(bridge.clock)
        self._transfer = Transfer(bridge, ROOT)
        self._folder = Folder(ROOT, self._transfer, self._times)
        self._events = Events(self._folder, self._times, os.getcwd)
        self._events.install()
        self._install_open()
        install_system(self._events, self._times, remote_functions(bridge))
        self.api = self._functions()

    def start(self):
        """Begins to watch: the program starts in its folder."""
        if not os.path.isdir(ROOT):
            self._is_finished = True
            self._bridge.notice("log", "warn", f"This sandbox has no folder {ROOT}: files of the program are not kept.")
            return
        os.chdir(ROOT)
        os.environ["HOME"] = ROOT
        self._times.start()
        self._events.is_active = True
        self._bridge.before_request = self._before_request
        self._bridge.after_answer = self._after_answer

    def finish(self):
        """Closes the files that the program left open, and saves all changes, once."""
        if self._is_finished:
            return
        self._is_finished = True
        for file in list(self._opened):
            file.close()
        if self._folder.is_stale and not self._folder.known:
            self._folder.may_differ = self._folder.may_differ or self._folder.is_used()
        self._folder.save()

    def _before_request(self, operation):
        """The host has all changes before it does anything for the program."""
        if not operation.startswith("fs.") and not self._folder.is_busy:
            self._folder.save()

    def _after_answer(self, request):
        """A tool, or another program, may have changed files."""
        if request in self._transfer.own:
            self._transfer.own.discard(request)
        else:
            self._folder.is_stale = True

    def _install_open(self):
        real_open = io.open

        def guest_open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
            if is_remote(file):
                opened = open_remote(self._bridge, file, mode, buffering, encoding, errors, newline)
            else:
                opened = real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
            self._opened.add(opened)
            return opened

        builtins.open = io.open = guest_open

    def _functions(self):
        bridge = self._bridge

        def is_local(path):
            return self._events.use(path) is not None and not is_remote(path)

        def read_file(path, encoding="utf-8"):
            """Returns the text of a file, or its bytes with `encoding=None`."""
            if is_local(path):
                with open(path, "rb") as file:
                    data = file.read()
            else:
                data = base64.b64decode(bridge.ask("read_file", "fs.readBytes", os.fsdecode(path)))
            return data if encoding is None else data.decode(encoding)

        def write_file(path, data, append=False):
            """Writes text or bytes to a file."""
            if not isinstance(data, (str, bytes, bytearray)):
                raise TypeError(f"write_file takes text or bytes, not {type(data).__name__}: use json.dumps(value)")
            raw = data.encode() if isinstance(data, str) else bytes(data)
            if is_local(path):
                with open(path, "ab" if append else "wb") as file:
                    file.write(raw)
                self._folder.save_file(os.path.relpath(path, ROOT))
                return
            if not append:
                require_code(os.fsdecode(path), raw)
            operation = "fs.appendBytes" if append else "fs.writeBytes"
            bridge.ask("write_file", operation, os.fsdecode(path), base64.b64encode(raw).decode())

        def list_files(path=ROOT, recursive=False):
            """Returns the sorted names in a folder."""
            if not is_local(path):
                return [entry["name"] for entry in bridge.ask("list_files", "fs.list", os.fsdecode(path), recursive)]
            if not recursive:
                return os.listdir(path)
            inside = len(os.path.normpath(path)) + 1
            return sorted(
                os.path.join(folder, name)[inside:]
                for folder, folders, files in os.walk(os.path.normpath(path))
                for name in (*folders, *files)
            )

        def load_skill(name):
            """Returns the text of a skill: its SKILL.md and its code."""
            return bridge.ask("load_skill", "skillText", name)

        return {"read_file": read_file, "write_file": write_file, "list_files": list_files, "load_skill": load_skill}
