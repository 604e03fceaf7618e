"""Python's file API for the files of the session: `open`, and the functions of `os` that `pathlib` uses."""
import ast
import base64
import builtins
import errno
import io
import os
import re
import shutil
import stat
import weakref

ROOTS = ("workspace", "skills", "servers", "session")


def is_remote(path):
    """Returns whether a path is of the session: relative paths, and paths below its roots."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return False
    text = os.fsdecode(path)
    return not text.startswith("/") or text.lstrip("/").split("/", 1)[0] in ROOTS


class RemoteFile(io.BytesIO):
    """One file of the session. It is read when it is opened, and written when it is flushed or closed."""

    def __init__(self, bridge, path, mode):
        self._bridge = bridge
        self._path = path
        self._mode = mode
        self._sent = 0
        self._dirty = False
        self.name = path
        super().__init__(self._open())
        if "a" in mode:
            self._sent = self.seek(0, io.SEEK_END)

    def _open(self):
        mode = self._mode
        if "x" in mode and exists(self._bridge, self._path):
            raise FileExistsError(errno.EEXIST, "the file already exists", self._path)
        if "w" in mode or "x" in mode:
            self._bridge.ask("open", "fs.writeBytes", self._path, "")
            return b""
        try:
            return base64.b64decode(self._bridge.ask("open", "fs.readBytes", self._path))
        except FileNotFoundError:
            if "a" not in mode:
                raise
            self._bridge.ask("open", "fs.writeBytes", self._path, "")
            return b""

    def readable(self):
        return "r" in self._mode or "+" in self._mode

    def writable(self):
        return self._mode.strip("bt") != "r"

    def read(self, *size):
        self._need(self.readable(), "read")
        return super().read(*size)

    def write(self, data):
        self._need(self.writable(), "write")
        if "a" in self._mode:
            self.seek(0, io.SEEK_END)
        self._touch(self.tell())
        return super().write(data)

    def truncate(self, size=None):
        self._need(self.writable(), "truncate")
        size = self.tell() if size is None else size
        self._touch(min(size, self._sent - 1))
        return super().truncate(size)

    def flush(self):
        if self.closed or not self._dirty:
            return
        self._dirty = False
        require_code(self._path, self.getvalue())
        data = bytes(self.getbuffer()[self._sent :])
        operation = "fs.appendBytes" if self._sent else "fs.writeBytes"
        self._bridge.ask("open", operation, self._path, base64.b64encode(data).decode())
        self._sent += len(data)

    def close(self):
        if not self.closed:
            try:
                self.flush()
            finally:
                super().close()

    def _touch(self, position):
        """Notes a change. Bytes after the sent ones can be appended; any other change sends the whole file again."""
        self._dirty = True
        if position < self._sent:
            self._sent = 0

    def _need(self, able, action):
        if not able:
            raise io.UnsupportedOperation(f"cannot {action}: the file was opened with mode {self._mode!r}")


def require_code(path, data):
    """Raises `SyntaxError` for a skill in one file, such as `/skills/add_up.py`, that Python cannot read."""
    if re.fullmatch(r"/*skills/+[^/]+\.py", path):
        compile(data, path.lstrip("/"), "exec", ast.PyCF_ONLY_AST, True)


def exists(bridge, path):
    try:
        bridge.ask("open", "fs.stat", path)
    except FileNotFoundError:
        return False
    return True


def install_files(bridge):
    """Replaces `open` and parts of `os` for paths of the session. Returns the API's functions, and a function for the end."""
    opened = weakref.WeakSet()
    real_open = io.open

    def remote_open(path, mode, buffering, encoding, errors, newline):
        kinds = set(mode) & set("rwax")
        if len(kinds) != 1 or set(mode) - set("rwaxbt+") or len(mode) != len(set(mode)):
            raise ValueError(f"invalid mode: {mode!r}")
        file = RemoteFile(bridge, os.fsdecode(path), mode.replace("t", ""))
        if "b" not in mode:
            file = io.TextIOWrapper(file, encoding or "utf-8", errors, newline, line_buffering=buffering == 1)
            file.mode = mode
        opened.add(file)
        return file

    def guest_open(
        file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None
    ):
        if is_remote(file):
            return remote_open(file, mode, buffering, encoding, errors, newline)
        return real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)

    builtins.open = io.open = guest_open
    for name, remote in remote_functions(bridge).items():
        setattr(os, name, either(getattr(os, name), remote))
    os.getcwd = lambda: "/workspace"
    shutil.rmtree = either(shutil.rmtree, lambda path, ignore_errors=False, *_, **__: remove_tree(bridge, path, ignore_errors))

    def read_file(path, encoding="utf-8"):
        """Returns the text of a file, or its bytes with `encoding=None`."""
        data = base64.b64decode(bridge.ask("read_file", "fs.readBytes", os.fsdecode(path)))
        return data if encoding is None else data.decode(encoding)

    def write_file(path, data, append=False):
        """Writes text or bytes to a file."""
        if not isinstance(data, (str, bytes, bytearray)):
            raise TypeError(f"write_file takes text or bytes, not {type(data).__name__}: use json.dumps(value)")
        raw = data.encode() if isinstance(data, str) else bytes(data)
        if not append:
            require_code(os.fsdecode(path), raw)
        operation = "fs.appendBytes" if append else "fs.writeBytes"
        bridge.ask("write_file", operation, os.fsdecode(path), base64.b64encode(raw).decode())

    def list_files(path="/workspace", recursive=False):
        """Returns the sorted names in a folder."""
        return [entry["name"] for entry in bridge.ask("list_files", "fs.list", os.fsdecode(path), recursive)]

    def load_skill(name):
        """Returns the text of a skill: its SKILL.md and its code."""
        return bridge.ask("load_skill", "skillText", name)

    def finish():
        for file in list(opened):
            file.close()

    return {"read_file": read_file, "write_file": write_file, "list_files": list_files, "load_skill": load_skill}, finish


def either(real, remote):
    """Returns a function of `os` that also accepts paths of the session."""

    def call(path=".", *more, **options):
        if is_remote(path) and options.get("dir_fd") is None:
            return remote(os.fsdecode(path), *more, **options)
        return real(path, *more, **options)

    call.__name__ = real.__name__
    return call


class RemoteEntry:
    """An entry of `os.scandir`."""

    def __init__(self, folder, entry):
        self.name = entry["name"]
        self.path = os.path.join(folder, self.name)
        self._entry = entry

    def is_dir(self, **_):
        return self._entry["kind"] == "directory"

    def is_file(self, **_):
        return not self.is_dir()

    def is_symlink(self):
        return False

    def stat(self, **_):
        return stat_result(self._entry)

    def __fspath__(self):
        return self.path


class Scan(list):
    """The result of `os.scandir`: an iterator that can be closed."""

    def __next__(self):
        if not self:
            raise StopIteration
        return self.pop(0)

    def __iter__(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.clear()

    def close(self):
        self.clear()


def stat_result(entry):
    mode = stat.S_IFDIR | 0o700 if entry["kind"] == "directory" else stat.S_IFREG | 0o600
    seconds = entry["mtimeMs"] / 1_000
    return os.stat_result((mode, 0, 0, 1, 0, 0, entry["size"], seconds, seconds, seconds))


def remove_tree(bridge, path, ignore_errors):
    try:
        bridge.ask("rmtree", "fs.remove", path, True, False)
    except OSError:
        if not ignore_errors:
            raise


def remote_functions(bridge):
    def ask(operation, *parameters):
        return bridge.ask("os", operation, *parameters)

    return {
        "listdir": lambda path: [entry["name"] for entry in ask("fs.list", path, False)],
        "scandir": lambda path: Scan(RemoteEntry(path, entry) for entry in ask("fs.list", path, False)),
        "stat": lambda path, *_, **__: stat_result(ask("fs.stat", path)),
        "lstat": lambda path, *_, **__: stat_result(ask("fs.stat", path)),
        "mkdir": lambda path, *_, **__: ask("fs.mkdir", path, False),
        "remove": lambda path, **_: ask("fs.remove", path, False, False),
        "unlink": lambda path, **_: ask("fs.remove", path, False, False),
        "rmdir": lambda path, **_: ask("fs.removeFolder", path),
        "rename": lambda path, to, **_: ask("fs.rename", path, os.fsdecode(to)),
        "replace": lambda path, to, **_: ask("fs.rename", path, os.fsdecode(to)),
    }
