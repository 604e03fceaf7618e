"""Functions of `os` that no event of the interpreter announces, and those that differ from one system to another."""
import errno
import os
import shutil
import stat

from .remote import is_remote
from .scan import Scan

#: Functions that look at a file without opening it.
LOOKS = ("stat", "lstat")


def install_system(events, times, remote):
    """Replaces functions of `os`. `remote` has those for paths that only the host has, by name."""
    real = {name: getattr(os, name) for name in ("stat", "lstat", "fstat", "listdir", "scandir", "access", "utime")}

    def look(name):
        def status(path, *, dir_fd=None, **options):
            if isinstance(path, int) or dir_fd is not None:
                return real[name](path, dir_fd=dir_fd, **options)
            used = events.use(path)
            found = real[name](path, **options)
            return found if not events.is_active else times.shown(readable(found, used), os.path.abspath(path))

        return status

    def readable(found, used):
        """The rights of an entry are none before its content has come."""
        if not used or stat.S_IMODE(found.st_mode):
            return found
        return with_rights(found, 0o600)

    def fstat(descriptor):
        found = real["fstat"](descriptor)
        return times.shown(found) if events.is_active and stat.S_ISREG(found.st_mode) else found

    def access(path, mode, **options):
        events.load(path) if isinstance(path, (str, bytes, os.PathLike)) else None
        return real["access"](path, mode, **options)

    def listdir(path="."):
        return sorted(real["listdir"](path))

    def scandir(path="."):
        # A descriptor belongs to code that removes a tree.
        if isinstance(path, int):
            return real["scandir"](path)
        with real["scandir"](path) as entries:
            return Scan(LocalEntry(entry, os.stat, os.lstat) for entry in sorted(entries, key=lambda entry: entry.name))

    def utime(path, *arguments, **options):
        real["utime"](path, *arguments, **options)
        if events.is_active:
            times.set(real["fstat"](path) if isinstance(path, int) else real["stat"](path))

    local = {**{name: look(name) for name in LOOKS}, "access": access, "listdir": listdir, "scandir": scandir, "utime": utime}
    for name in ("rename", "replace"):
        local[name] = across(getattr(os, name))
    os.fstat = fstat
    for name in {*local, *remote} - {"rmtree"}:
        setattr(os, name, either(getattr(os, name), local.get(name, getattr(os, name)), remote.get(name)))
    rmtree = shutil.rmtree
    shutil.rmtree = either(rmtree, rmtree, remote["rmtree"])


def either(original, local, remote):
    """Returns a function that also accepts paths of the host."""

    def call(path=".", *more, **options):
        if remote is not None and options.get("dir_fd") is None and is_remote(path):
            return remote(os.fsdecode(path), *more, **options)
        return local(path, *more, **options)

    call.__name__ = original.__name__
    call.__doc__ = original.__doc__
    return call


def across(rename):
    """Returns a `rename` that also moves between folders of different file systems, such as /tmp and /workspace."""

    def move(source, target, **options):
        if is_remote(target) and not is_remote(source):
            raise OSError(errno.EXDEV, "the files are on different file systems: copy the file, then remove the original", source)
        try:
            return rename(source, target, **options)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        part = f"{os.fsdecode(target)}.part"
        copy = shutil.copytree if os.path.isdir(source) else shutil.copy2
        try:
            copy(source, part)
            rename(part, target)
        except BaseException:
            remove(part)
            raise
        remove(source)

    return move


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def with_rights(found, rights):
    return os.stat_result((stat.S_IFMT(found.st_mode) | rights, *found[1:10]), {name: getattr(found, name) for name in dir(found) if name.startswith("st_")})


class LocalEntry:
    """An entry of `os.scandir`. Its times are those of `os.stat`."""

    def __init__(self, entry, stat, lstat):
        self._entry = entry
        self._stat = stat
        self._lstat = lstat
        self.name = entry.name
        self.path = entry.path
        self.is_dir = entry.is_dir
        self.is_file = entry.is_file
        self.is_symlink = entry.is_symlink
        self.inode = entry.inode

    def is_junction(self):
        return False

    def stat(self, *, follow_symlinks=True):
        return (self._stat if follow_symlinks else self._lstat)(self.path)

    def __fspath__(self):
        return self.path

    def __repr__(self):
        return f"<DirEntry {self.name!r}>"
