"""The folder `/workspace` of the program: real files, from the workspace of the host, and the way back.

At its first use, the folder gets an entry for each file of the host. The content of a file comes when it is first opened. Changes are
sent to the host before each request of the program that is not about files, and at its end.
"""
import hashlib
import os
import stat
import threading
from contextlib import contextmanager
from time import time_ns as engine_ns

from .changes import find_changes
from .reading import read_ahead

#: Rights of an entry whose content has not come: code that no event announces cannot read it by mistake.
NO_RIGHTS = 0o000
FILE_RIGHTS = 0o600
FOLDER_RIGHTS = 0o700
#: The system counts times of files in steps. A change within this time may leave no trace in the time of the file.
STEP_NS = 20_000_000
_MS_NS = 1_000_000
_CHUNK_BYTES = 1024 * 1024


class Entry:
    """A file or folder as the host has it, and the state of the copy here."""

    __slots__ = ("kind", "size", "mtime", "state", "digest")

    def __init__(self, kind, size, mtime):
        self.kind = kind
        #: Size and time on the host.
        self.size = size
        self.mtime = mtime
        #: `state_of` the copy when both were equal, and the digest of its content; None before the content has come.
        self.state = None
        self.digest = None

    @property
    def is_awaited(self):
        """Whether the content of the file has not come yet."""
        return self.kind == "file" and self.digest is None


class Folder:
    def __init__(self, root, transfer, times):
        self.root = root
        self.known = {}
        #: Names of files that the program may have changed, in addition to those whose state differs.
        self.touched = set()
        #: Whether the host may have changed files since the last look, and the program any.
        self.is_stale = True
        self.may_differ = False
        self.has_children = False
        self._transfer = transfer
        self._times = times
        self._real = {name: getattr(os, name) for name in ("stat", "lstat", "scandir", "listdir", "open", "mkdir", "chmod", "utime")}
        self._lock = threading.RLock()
        self._own = threading.local()
        self._reads = read_ahead()

    @property
    def is_busy(self):
        """Whether this code itself uses the files now."""
        return getattr(self._own, "depth", 0) > 0

    @contextmanager
    def busy(self):
        with self._lock:
            self._own.depth = getattr(self._own, "depth", 0) + 1
            try:
                yield
            finally:
                self._own.depth -= 1

    def path(self, name):
        return f"{self.root}/{name}"

    def look(self):
        """Takes over the changes of the host since the last look."""
        if not self.is_stale:
            return
        with self.busy():
            self.is_stale = False
            try:
                found = {entry["name"]: entry for entry in self._transfer.list()}
            except BaseException:
                self.is_stale = True
                raise
            for name in sorted(self.known, reverse=True):
                if name not in found and self._is_unchanged(name):
                    self._remove(name)
                    del self.known[name]
            for name in sorted(found):
                entry, old = found[name], self.known.get(name)
                is_same = old and (old.kind, old.size, old.mtime) == (entry["kind"], entry["size"], entry["mtimeMs"])
                if not is_same and self._is_unchanged(name):
                    self._place(name, Entry(entry["kind"], entry["size"], entry["mtimeMs"]))
            self._reads.order(name for name in sorted(self.known) if self.known[name].is_awaited)

    def load(self, name):
        """Gets the content of a file, and of some that the program is likely to open next."""
        entry = self.known.get(name)
        if entry is None or not entry.is_awaited:
            return
        with self.busy():
            if entry.size > self._transfer.part_bytes():
                self._fill(name, self._transfer.read_parts(name))
                return
            names = self._reads.next(name, self.known, self._transfer.part_bytes())
            for each, data in self._transfer.read(names).items():
                if data is None:
                    self._remove(each)
                    del self.known[each]
                else:
                    self._fill(each, [data])

    def load_all(self, below=""):
        """Gets the content of all files below a folder."""
        for name in [name for name, entry in self.known.items() if entry.is_awaited]:
            if below == "" or name == below or name.startswith(f"{below}/"):
                self.load(name)

    def replace(self, name):
        """Prepares a file whose content the program replaces."""
        entry = self.known.get(name)
        if entry is not None and entry.is_awaited:
            with self.busy():
                self._real["chmod"](self.path(name), FILE_RIGHTS)
                entry.digest = b""

    def save(self):
        """Sends the changes of the program to the host. Raises the errors of the host after it has sent all others."""
        if not self.may_differ:
            return
        with self.busy():
            if self.is_stale and not self.known:
                self.look()
            try:
                find_changes(self).send(self._transfer)
            finally:
                self.touched &= self.known.keys()
            self.may_differ = bool(self.touched) or self.has_children or has_open_files(self.root)

    def save_file(self, name):
        """Sends one file to the host at once. If the host refuses it, the file is again as the host has it."""
        parent = name.rpartition("/")[0]
        path = self.path(name)
        with self.busy():
            try:
                if self.has_children or self.touched - {name} or (parent and not self.has_folder(parent)):
                    self.save()
                    return
                found = self._real["lstat"](path)
                state, digest = state_of(found), self.digest(name)
                if found.st_size > self._transfer.part_bytes():
                    with open(path, "rb") as file:
                        self.saved(name, state, digest, self._transfer.write_large(name, file, found.st_size))
                else:
                    for _, host in self._transfer.write([(name, self.content(name))]):
                        self.saved(name, state, digest, host)
            except OSError:
                self._restore(name)
                raise

    def is_used(self):
        """Returns whether the folder has anything, also without an event."""
        with self.busy():
            return bool(self._real["listdir"](self.root))

    def saved(self, name, state, digest, host):
        """Notes that the host has a file as it is here."""
        size, mtime = host
        entry = Entry("file", size, mtime)
        entry.state, entry.digest = state, digest
        self.known[name] = entry
        self.note(name, state)

    def saved_folder(self, name):
        self.known[name] = Entry("directory", 0, None)

    def has_folder(self, name):
        return name in self.known and self.known[name].kind == "directory"

    def note(self, name, state):
        """Notes the state of an unchanged file. If its time is of now, the next change may have the same time."""
        if engine_ns() - state[2] < STEP_NS:
            self.touched.add(name)
        else:
            self.touched.discard(name)

    def scan(self):
        """Returns the entries of the folder by name, as status. Raises nothing for links and devices: their kind says it."""
        found = {}
        folders = [""]
        while folders:
            folder = folders.pop()
            with self._real["scandir"](self.path(folder) if folder else self.root) as entries:
                for entry in entries:
                    name = f"{folder}/{entry.name}" if folder else entry.name
                    found[name] = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(found[name].st_mode):
                        folders.append(name)
        return found

    def content(self, name):
        descriptor = self._real["open"](self.path(name), os.O_RDONLY)
        try:
            return b"".join(iter(lambda: os.read(descriptor, _CHUNK_BYTES), b""))
        finally:
            os.close(descriptor)

    def digest(self, name, contents=None):
        if contents is not None:
            contents[name] = self.content(name)
            return digest_of([contents[name]])
        with open(self.path(name), "rb") as file:
            return digest_of(iter(lambda: file.read(_CHUNK_BYTES), b""))

    def _is_unchanged(self, name):
        """Returns whether the host may replace a file: the program has changed nothing of it."""
        try:
            found = self._real["lstat"](self.path(name))
        except (FileNotFoundError, NotADirectoryError):
            # The program has removed it, or has never had it.
            return name not in self.known
        entry = self.known.get(name)
        if stat.S_ISDIR(found.st_mode):
            return True
        return entry is not None and name not in self.touched and state_of(found) == entry.state

    def _place(self, name, entry):
        path = self.path(name)
        self.known[name] = entry
        if entry.kind == "directory":
            if not is_folder(self._real["lstat"], path):
                self._remove(name)
                self._real["mkdir"](path, FOLDER_RIGHTS)
            return
        self._remove(name)
        descriptor = self._real["open"](path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_RIGHTS)
        try:
            os.ftruncate(descriptor, entry.size)
        finally:
            os.close(descriptor)
        if entry.size > 0:
            # Not at its creation: Emscripten refuses to set the size of an open file without rights.
            self._real["chmod"](path, NO_RIGHTS)
        self._settle(name, entry, digest_of([]) if entry.size == 0 else None)

    def _fill(self, name, parts):
        entry, path = self.known[name], self.path(name)
        self._real["chmod"](path, FILE_RIGHTS)
        content = hashlib.blake2b(digest_size=16)
        descriptor = self._real["open"](path, os.O_WRONLY | os.O_TRUNC)
        try:
            for part in parts:
                write_all(descriptor, part)
                content.update(part)
        finally:
            os.close(descriptor)
        self._settle(name, entry, content.digest())

    def _settle(self, name, entry, digest):
        """Gives the copy the time of the host, and notes its state."""
        path = self.path(name)
        time = int(entry.mtime * 1_000) * 1_000
        self._real["utime"](path, ns=(time, time))
        found = self._real["lstat"](path)
        self._times.set(found)
        entry.state, entry.digest = state_of(found), digest

    def _restore(self, name):
        entry = self.known.get(name)
        self.touched.discard(name)
        if entry is None or entry.kind != "file":
            self._remove(name)
        else:
            self._place(name, Entry(entry.kind, entry.size, entry.mtime))

    def _remove(self, name):
        path = self.path(name)
        try:
            if is_folder(self._real["lstat"], path):
                os.rmdir(path)
            else:
                os.unlink(path)
        except OSError:
            # It is gone, or the program has put files into the folder.
            pass


def state_of(found):
    """Returns all that changes with the content of a file."""
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def write_all(descriptor, data):
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def digest_of(parts):
    content = hashlib.blake2b(digest_size=16)
    for part in parts:
        content.update(part)
    return content.digest()


def is_folder(lstat, path):
    try:
        return stat.S_ISDIR(lstat(path).st_mode)
    except OSError:
        return False


def has_open_files(root):
    """Returns whether the program has an open file of the folder. True where the system does not list them."""
    try:
        descriptors = os.listdir("/proc/self/fd")
    except OSError:
        return True
    for descriptor in descriptors:
        try:
            if os.readlink(f"/proc/self/fd/{descriptor}").startswith(f"{root}/"):
                return True
        except OSError:
            continue
    return False
