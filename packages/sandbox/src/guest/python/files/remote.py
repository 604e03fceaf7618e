"""Files that only the host has: those of skills and servers, and the log of the session. Each operation is a request."""
import ast
import base64
import errno
import io
import os
import re
import stat

from .scan import Scan

ROOTS = ("skills", "servers", "session")
#: Relative paths of these names are below the roots too.
RELATIVE_ROOTS = ("skills", "servers")


def is_remote(path):
    """Returns whether only the host has the file of a path."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return False
    text = path if type(path) is str else os.fsdecode(path)
    # Most paths are of other folders.
    if not text.lstrip("/").startswith(ROOTS):
        return False
    return text.lstrip("/").split("/", 1)[0] in (ROOTS if text.startswith("/") else RELATIVE_ROOTS)


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


def open_remote(bridge, path, mode, buffering, encoding, errors, newline):
    """Returns a file of the host, opened like `open` does."""
    kinds = set(mode) & set("rwax")
    if len(kinds) != 1 or set(mode) - set("rwaxbt+") or len(mode) != len(set(mode)):
        raise ValueError(f"invalid mode: {mode!r}")
    file = RemoteFile(bridge, os.fsdecode(path), mode.replace("t", ""))
    if "b" not in mode:
        file = io.TextIOWrapper(file, encoding or "utf-8", errors, newline, line_buffering=buffering == 1)
        file.mode = mode
    return file


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

    def keep(path, *_, **__):
        """Leaves the times and the rights of a file: the host sets its own."""
        ask("fs.stat", path)

    return {
        "listdir": lambda path: [entry["name"] for entry in ask("fs.list", path, False)],
        "scandir": lambda path: Scan(RemoteEntry(path, entry) for entry in ask("fs.list", path, False)),
        "stat": lambda path, *_, **__: stat_result(ask("fs.stat", path)),
        "lstat": lambda path, *_, **__: stat_result(ask("fs.stat", path)),
        "mkdir": lambda path, *_, **__: ask("fs.mkdir", path, False),
        "remove": lambda path, **_: ask("fs.remove", path, False, False),
        "unlink": lambda path, **_: ask("fs.remove", path, False, False),
        "rmtree": lambda path, ignore_errors=False, *_, **__: remove_tree(bridge, path, ignore_errors),
        "rmdir": lambda path, **_: ask("fs.removeFolder", path),
        "rename": lambda path, to, **_: ask("fs.rename", path, os.fsdecode(to)),
        "replace": lambda path, to, **_: ask("fs.rename", path, os.fsdecode(to)),
        "access": lambda path, *_, **__: exists(bridge, path),
        "utime": keep,
        "chmod": keep,
    }
