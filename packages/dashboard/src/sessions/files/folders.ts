/** A file or folder of a workspace. */
export interface WorkspaceFile {
  readonly path: string;
  readonly kind: 'file' | 'directory';
  readonly size: number;
  readonly modifiedAt: string;
}

/** A folder with the files that are directly in it. */
export interface Folder {
  /** Empty for the workspace itself. */
  readonly path: string;
  readonly files: readonly WorkspaceFile[];
}

/** Groups files by their folders, in the order of their paths. A folder without files is there if it has no folders either. */
export function foldersOf(entries: readonly WorkspaceFile[]): readonly Folder[] {
  const folders = new Map<string, WorkspaceFile[]>();
  for (const entry of entries) {
    const path = entry.kind === 'file' ? parentOf(entry.path) : entry.path;
    const files = folders.get(path) ?? [];
    if (entry.kind === 'file') files.push(entry);
    folders.set(path, files);
  }
  const parents = new Set([...folders.keys()].map(parentOf));
  return [...folders]
    .filter(([path, files]) => files.length > 0 || !parents.has(path))
    .map(([path, files]) => ({ path, files: files.sort((a, b) => compare(a.path, b.path)) }))
    .sort((a, b) => compare(a.path, b.path));
}

/** Returns the entries whose path has a text, in any case. */
export function filtered(entries: readonly WorkspaceFile[], text: string): readonly WorkspaceFile[] {
  const words = text.toLowerCase();
  return entries.filter(({ path, kind }) => (kind === 'file' || text === '') && path.toLowerCase().includes(words));
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
