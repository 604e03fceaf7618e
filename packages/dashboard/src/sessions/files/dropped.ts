/** A file of this machine, and its path below the workspace. */
export interface LocalFile {
  readonly path: string;
  readonly file: File;
}

/** Returns the files that a person chose in a dialog. Those of a chosen folder have a path. */
export function chosenFiles(files: Iterable<File>): LocalFile[] {
  return Array.from(files, (file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Returns the files of a drop, with those of dropped folders. Call it in the handler of the event: later, the browser has forgotten them. */
export function droppedFiles(transfer: DataTransfer): Promise<LocalFile[]> {
  const found = Array.from(transfer.items, (item): Promise<LocalFile[]> => {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry() : null;
    if (entry) return filesBelow(entry);
    const file = item.getAsFile();
    return Promise.resolve(file ? chosenFiles([file]) : []);
  });
  return Promise.all(found).then((files) => files.flat());
}

async function filesBelow(entry: FileSystemEntry): Promise<LocalFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ''), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: LocalFile[] = [];
  for (;;) {
    // A browser returns the entries of a folder in parts.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    for (const each of part) found.push(...(await filesBelow(each)));
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}
