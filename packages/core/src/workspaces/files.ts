/** A file or folder as a listing shows it. */
export interface FileEntry {
  /** Name relative to the folder that was listed. */
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly size: number;
  /** Last change, milliseconds since the epoch; 0 for what is generated. */
  readonly mtimeMs: number;
}

/**
 * One part of the tree of files that a guest sees, `/workspace` for instance. All paths are guest paths from the root of
 * that tree on (`/workspace/a.txt`); errors are `FILE_ERROR`, with Node's code in `details.errno`, and name guest paths only.
 */
export interface Files {
  /** The bytes of a file; `EFBIG` when there are more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Buffer>;
  write(path: string, data: Buffer, mode: 'replace' | 'append'): Promise<void>;
  /** Sorted by name. */
  list(path: string, recursive: boolean): Promise<FileEntry[]>;
  stat(path: string): Promise<FileEntry>;
  makeFolder(path: string, recursive: boolean): Promise<void>;
  remove(path: string, options: { readonly recursive: boolean; readonly force: boolean }): Promise<void>;
  removeFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
}

/** The part of {@link Files} that changes nothing. */
export type ReadableFiles = Pick<Files, 'read' | 'list' | 'stat'>;
