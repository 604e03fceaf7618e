/** A file or folder in a listing. */
export interface FileEntry {
  /** The path relative to the listed folder. */
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly size: number;
  /** Time of the last change in milliseconds since the epoch; 0 for generated files. */
  readonly mtimeMs: number;
}

/** The part of {@link Files} that only reads. */
export interface ReadableFiles {
  /** Returns the bytes of a file. Raises `EFBIG` when it has more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Buffer>;
  /** Returns the entries of a folder, sorted by name. */
  list(path: string, recursive: boolean): Promise<FileEntry[]>;
  stat(path: string): Promise<FileEntry>;
  /** Absent where files are small and few. */
  readonly bulk?: BulkFiles | undefined;
}

/**
 * One part of the files that a guest sees, for example `/workspace`. All paths are absolute guest paths (`/workspace/a.txt`).
 * Errors are `FILE_ERROR` with Node's code in `details.errno`. Messages contain guest paths only, no paths of the host.
 */
export interface Files extends ReadableFiles {
  write(path: string, data: Buffer, mode: 'replace' | 'append'): Promise<void>;
  makeFolder(path: string, recursive: boolean): Promise<void>;
  remove(path: string, options: { readonly recursive: boolean; readonly force: boolean }): Promise<void>;
  removeFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

/** A file that is written together with others. */
export interface WrittenFile {
  readonly path: string;
  readonly data: Buffer;
}

/** Files of any size and number. All paths are as for {@link Files}. */
export interface BulkFiles {
  /** Returns the bytes of a file from `offset` on, at most `length` of them; fewer at its end only. */
  readRange(path: string, offset: number, length: number): Promise<Buffer>;
  /** Returns the contents of small files; undefined for one that does not exist. Raises `EFBIG` when one has more than `maxBytes`. */
  readAll(paths: readonly string[], maxBytes: number): Promise<(Buffer | undefined)[]>;
  /** Writes each file as `write` does. Returns their entries. Raises the error of the first refused one after it has written all others. */
  writeAll(files: readonly WrittenFile[]): Promise<FileEntry[]>;
  /** Removes files, and folders with their content. Those that do not exist count as removed. */
  removeAll(paths: readonly string[]): Promise<void>;
  /**
   * Writes bytes of the unfinished content of a file, which `owner` writes and which will have `size` bytes. The file itself stays as it
   * is. Raises `EIO` if bytes before them are missing, and `WORKSPACE_FULL`.
   */
  stage(owner: string, path: string, offset: number, data: Buffer, size: number): Promise<void>;
  /** Replaces a file with its unfinished content of `size` bytes. `convert` returns the texts to store, if the content is text. */
  commit(owner: string, path: string, size: number, convert?: ConvertText): Promise<FileEntry>;
}

/** Converts a part of a text, which ends at the end of a line or of the text. */
export type ConvertText = (part: string) => string | Promise<string>;
