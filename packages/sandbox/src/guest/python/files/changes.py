"""The difference between the folder of the program and the workspace of the host."""
import errno
import stat

from ..faults import coded

#: Smaller files are written again instead of renamed.
MIN_RENAMED_BYTES = 64 * 1024
#: Larger ones are read again when they are sent.
MAX_KEPT_BYTES = 4 * 1024


def find_changes(folder):
    """Compares the content of all files that may have changed: a replay must send the same requests, whatever the times are."""
    found = folder.scan()
    changes = Changes(folder)
    for name in sorted(found):
        status = found[name]
        if stat.S_ISDIR(status.st_mode):
            changes.add_folder(name)
        elif stat.S_ISREG(status.st_mode):
            changes.add_file(name, status)
        else:
            changes.refused.append(name)
    changes.removed = [name for name in sorted(folder.known) if name not in found]
    changes.find_renamed()
    return changes


class Changes:
    def __init__(self, folder):
        self._folder = folder
        #: Names whose kind has changed: the old entry goes first.
        self.replaced = []
        self.removed = []
        self.folders = []
        #: Files with their status and digest.
        self.files = {}
        #: Contents of small ones, so that they are read once.
        self.contents = {}
        #: New names by old names.
        self.renamed = {}
        #: Links and devices.
        self.refused = []

    def add_folder(self, name):
        entry = self._folder.known.get(name)
        if entry is None or entry.kind != "directory":
            self.folders.append(name)
        if entry is not None and entry.kind != "directory":
            self.replaced.append(name)

    def add_file(self, name, status):
        folder = self._folder
        entry = folder.known.get(name)
        state = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if entry is not None and entry.kind != "file":
            self.replaced.append(name)
            entry = None
        if entry is not None and entry.state == state and name not in folder.touched:
            return
        if entry is not None and entry.is_awaited:
            return
        digest = folder.digest(name, self.contents if status.st_size <= MAX_KEPT_BYTES else None)
        if entry is not None and entry.digest == digest:
            entry.state = state
            folder.note(name, state)
        else:
            self.files[name] = (status, state, digest)

    def find_renamed(self):
        """Finds large files that only have a new name."""
        known = self._folder.known
        old = {known[name].state[0]: name for name in self.removed if known[name].state}
        for name, (status, state, digest) in list(self.files.items()):
            before = old.get(status.st_ino)
            if before is None or name in known or status.st_size < MIN_RENAMED_BYTES or known[before].digest != digest:
                continue
            self.renamed[before] = name
            self.removed.remove(before)
            del self.files[name]
            entry = known.pop(before)
            entry.state = state
            known[name] = entry

    def send(self, transfer):
        known = self._folder.known
        problems = []

        def attempt(operation, *parts):
            try:
                operation(*parts)
            except OSError as error:
                problems.append(error)

        attempt(self._remove, transfer, self.replaced)
        if self.renamed:
            attempt(self._make_folders, transfer)
        for before, name in self.renamed.items():
            attempt(transfer.change, "fs.rename", before, name)
        attempt(self._remove, transfer, self.removed)
        attempt(self._make_folders, transfer)
        self._send_files(transfer, problems)
        if self.refused:
            name = self._folder.path(self.refused[0])
            problems.append(not_kept(name))
        if problems:
            raise problems[0]

    def _remove(self, transfer, names):
        transfer.remove(roots_of(names))
        for name in names:
            self._folder.known.pop(name, None)

    def _make_folders(self, transfer):
        for name in self.folders:
            if not self._folder.has_folder(name):
                transfer.change("fs.mkdir", name, recursive=True)
                self._folder.saved_folder(name)

    def _send_files(self, transfer, problems):
        folder = self._folder
        small, large = [], []
        for name, (status, _, _) in self.files.items():
            (large if status.st_size > transfer.part_bytes() else small).append(name)

        def contents():
            for name in small:
                yield name, self.contents.pop(name, None) or folder.content(name)

        try:
            for name, host in transfer.write(contents()):
                folder.saved(name, *self.files[name][1:], host)
        except OSError as error:
            problems.append(error)
        for name in large:
            status, state, digest = self.files[name]
            try:
                with open(folder.path(name), "rb") as file:
                    folder.saved(name, state, digest, transfer.write_large(name, file, status.st_size))
            except OSError as error:
                problems.append(error)


def roots_of(names):
    """Returns the names that are not below another one."""
    all_names = set(names)
    return [name for name in names if not any(parent in all_names for parent in parents_of(name))]


def parents_of(name):
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


def not_kept(path):
    text = f"{path} is a link or a device. The workspace keeps files and folders only: copy the file instead."
    return coded(OSError(errno.EPERM, text), "EPERM")
