/** A file or folder in a listing. */
export interface FileEntry {
  /** The path relative to the listed folder. */
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly size: number;
  /** Time of the last change in milliseconds since the epoch; 0 for generated files. */
  readonly mtimeMs: number;
}

/**
 * One part of the files that a guest sees, for example `/workspace`. All paths are absolute guest paths (`/workspace/a.txt`).
 * Errors are `FILE_ERROR` with Node's code in `details.errno`. Messages contain guest paths only, no paths of the host.
 */
export interface Files {
  /** Returns the bytes of a file. Raises `EFBIG` when it has more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Buffer>;
  write(path: string, data: Buffer, mode: 'replace' | 'append'): Promise<void>;
  /** Returns the entries of a folder, sorted by name. */
  list(path: string, recursive: boolean): Promise<FileEntry[]>;
  stat(path: string): Promise<FileEntry>;
  makeFolder(path: string, recursive: boolean): Promise<void>;
  remove(path: string, options: { readonly recursive: boolean; readonly force: boolean }): Promise<void>;
  removeFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

/** The part of {@link Files} that only reads. */
export type ReadableFiles = Pick<Files, 'read' | 'list' | 'stat'>;
