"""Finds out which files a program is about to use, from the events of the interpreter.

See https://docs.python.org/3/library/audit_events.html. They come before the operation, also from code in C such as sqlite3.
"""
import errno
import os
import sys

from ..faults import coded
from ..packages import FOLDER as PACKAGES

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
#: What the host refuses in names. It refuses some others too, when the file is saved.
_FORBIDDEN = {chr(code) for code in (*range(32), 127)} | {"\\"}
_DATABASE_FILES = ("", "-journal", "-wal", "-shm")
#: Packages with code in C that opens files by Python only, so that an event announces each file.
_OPENS_BY_PYTHON = {
    *("numpy", "pandas", "scipy", "matplotlib", "PIL", "contourpy", "kiwisolver", "fontTools", "markupsafe", "yaml", "_yaml"),
    *("charset_normalizer", "regex", "rapidfuzz", "cffi", "cryptography", "pydantic_core", "orjson", "rpds", "msgpack", "wrapt"),
}


class Events:
    """Keeps a folder up to date. `working_folder` returns the current folder of the process."""

    def __init__(self, folder, times, working_folder):
        self._folder = folder
        self._times = times
        self._working_folder = working_folder
        self.is_active = False
        change, children = self._change, self._children
        self._handlers = {
            "open": self._open,
            "os.listdir": lambda path, *_: self.use(path),
            "os.scandir": lambda path, *_: self.use(path),
            "os.chdir": lambda path, *_: self.use(path),
            "os.mkdir": lambda path, *_: self._name(path),
            "os.rmdir": lambda path, *_: change(path),
            "os.remove": lambda path, *_: change(path),
            "os.rename": self._rename,
            "os.link": self._rename,
            "os.symlink": self._symlink,
            "os.truncate": lambda path, *_: self._load(path),
            "os.chmod": lambda path, *_: self._load(path),
            "os.chown": lambda path, *_: self._load(path),
            "os.utime": lambda path, *_: self._load(path),
            "sqlite3.connect": self._database,
            "import": self._extension,
            "subprocess.Popen": children,
            "os.posix_spawn": children,
            "os.fork": children,
            "os.forkpty": children,
        }

    def install(self):
        handlers = self._handlers

        def watch(event, arguments):
            handler = handlers.get(event)
            if handler is not None and self.is_active and not self._folder.is_busy:
                handler(*arguments)

        sys.addaudithook(watch)

    def use(self, path):
        """Prepares the entries of the folder if a path is in it. Returns the name of the path there, or None."""
        name = self._name_of(path)
        if name is not None and self.is_active and not self._folder.is_busy:
            self._folder.look()
        return name

    def load(self, path):
        """Prepares a path, and the content of its file."""
        name = self.use(path)
        if name and self.is_active and not self._folder.is_busy:
            self._folder.load(name)
        return name

    def _name_of(self, path):
        """Returns the name of a path below the folder, "" for the folder itself, None for any other path."""
        if not isinstance(path, (str, bytes, os.PathLike)):
            # An empty path and None are the current folder, a number is an open file.
            if path is not None:
                return None
            path = "."
        text = os.fsdecode(path)
        if not text.startswith("/"):
            text = f"{self._working_folder()}/{text}"
        text = os.path.normpath(text)
        root = self._folder.root
        if text == root:
            return ""
        return text[len(root) + 1 :] if text.startswith(f"{root}/") else None

    def _open(self, path, _mode, flags=0):
        name = self.use(path)
        if not name:
            return
        if not flags & _WRITES:
            return self._folder.load(name)
        self._name(path)
        self._times.opened(self._folder.path(name))
        if flags & os.O_TRUNC:
            self._folder.replace(name)
        else:
            self._folder.load(name)

    def _change(self, path):
        name = self.use(path)
        if name is not None:
            self._folder.may_differ = True
            self._folder.touched.add(name)
        return name

    def _name(self, path):
        """Notes a new or changed name. Refuses one that the host does not keep."""
        name = self._change(path)
        if name and not _FORBIDDEN.isdisjoint(name):
            text = f"A name in {self._folder.root} must not contain control characters or a backslash: {name!r}"
            raise coded(OSError(errno.EINVAL, text), "EINVAL")

    def _load(self, path):
        if self._change(path):
            self.load(path)

    def _rename(self, source, target, *_):
        name = self._change(source)
        if name:
            self._folder.load_all(name)
        self._name(target)

    def _symlink(self, _source, target, *_):
        if self._name_of(target) is not None:
            text = f"{self._folder.root} keeps files and folders only, no links. Copy the file: shutil.copy(source, target)."
            raise coded(OSError(errno.EPERM, text), "EPERM")

    def _database(self, database, *_):
        text = os.fsdecode(database)
        path = text.removeprefix("file:").partition("?")[0]
        for suffix in _DATABASE_FILES if path and path != ":memory:" else ():
            self._load(path + suffix)

    def _extension(self, _name, path, *_):
        """Code in C of a package, such as lxml, may open files without an event: it needs all files."""
        if isinstance(path, str) and path.startswith(f"{PACKAGES}/"):
            package = path[len(PACKAGES) + 1 :].partition("/")[0].partition(".")[0]
            if package not in _OPENS_BY_PYTHON:
                self._children()

    def _children(self, *_):
        """Other processes have no channel: they need all files."""
        self._folder.look()
        self._folder.load_all()
        self._folder.has_children = self._folder.may_differ = True
