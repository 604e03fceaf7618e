import { constants } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import { fileError, guestPath, hostPath, openFile, parseGuestPath, WRITABLE_ROOTS } from './paths.ts';

export interface FileEntry {
  /** Name relative to the folder that was listed. */
  readonly name: string;
  readonly kind: 'file' | 'directory';
  readonly size: number;
  /** Last change, milliseconds since the epoch. */
  readonly mtimeMs: number;
}

/**
 * A session's files: `/workspace` and `/skills` as the guest sees them, in one folder of the host. All paths are guest
 * paths; errors are `FILE_ERROR` (with Node's code in `details.errno`) and `WORKSPACE_FULL`, and name guest paths only.
 */
export interface Workspace {
  /** The folder on the host. */
  readonly root: string;
  read(path: string, maxBytes: number): Promise<Buffer>;
  write(path: string, data: Buffer, mode: 'replace' | 'append'): Promise<void>;
  list(path: string, recursive: boolean): Promise<FileEntry[]>;
  stat(path: string): Promise<FileEntry>;
  makeFolder(path: string, recursive: boolean): Promise<void>;
  remove(path: string, options: { recursive: boolean; force: boolean }): Promise<void>;
  removeFolder(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Deletes everything. */
  destroy(): Promise<void>;
}

/** How much is in a folder. */
interface Size {
  bytes: number;
  files: number;
}

/** What all who use one folder at the same time share: how much is in it, and whose turn it is. */
export interface WorkspaceUse {
  opened?: Promise<Size>;
  changes?: Promise<unknown>;
}

export interface WorkspaceOptions {
  readonly root: string;
  /** Set when the folder is in use already. */
  readonly use?: WorkspaceUse;
  readonly workspaceBytes: number;
  readonly workspaceFiles: number;
}

const MAX_LISTED = 10_000;

/** Opens the workspace in a folder of the host, which is made with the first operation. */
export function openWorkspace({ root, workspaceBytes, workspaceFiles, use = {} }: WorkspaceOptions): Workspace {
  const open = () => {
    use.opened ??= prepare(root);
    return use.opened;
  };
  const locate = async (path: string, options: { isRootFine: boolean }) => {
    const parts = parseGuestPath(path);
    if (!(WRITABLE_ROOTS as readonly string[]).includes(parts[0] ?? '')) {
      throw fileError(
        'EACCES',
        `${guestPath(parts)} is outside of ${WRITABLE_ROOTS.map((name) => `/${name}`).join(' and ')}.`,
      );
    }
    if (parts.length === 1 && !options.isRootFine) throw fileError('EISDIR', `${guestPath(parts)} is a folder.`);
    const usage = await open();
    return { parts, name: guestPath(parts), host: await hostPath(root, parts), usage };
  };
  const reserve = (usage: Size, bytes: number, files: number) => {
    if (usage.bytes + bytes > workspaceBytes) {
      const message = `The workspace holds ${usage.bytes} bytes and may hold ${workspaceBytes}; ${bytes} more do not fit. Remove files first.`;
      throw new ToolwrightError('WORKSPACE_FULL', message);
    }
    if (usage.files + files > workspaceFiles) {
      throw new ToolwrightError('WORKSPACE_FULL', `The workspace may hold ${workspaceFiles} files. Remove some first.`);
    }
    usage.bytes += bytes;
    usage.files += files;
  };

  // Changes run one after another: what each adds to and takes from the quota depends on what is there.
  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    const result = (use.changes ?? Promise.resolve()).then(change);
    use.changes = result.catch(() => undefined);
    return result;
  };

  const workspace: Workspace = {
    root,
    async read(path, maxBytes) {
      const { host, name } = await locate(path, { isRootFine: false });
      const file = await openFile(host, name, constants.O_RDONLY);
      try {
        const { size } = await file.stat();
        if (size > maxBytes) throw fileError('EFBIG', `${name} has ${size} bytes, at most ${maxBytes} can be read.`);
        return await file.readFile();
      } finally {
        await file.close();
      }
    },
    async write(path, data, mode) {
      const { host, name, usage } = await locate(path, { isRootFine: false });
      const before = await lstat(host).catch(() => undefined);
      const freed = mode === 'replace' ? (before?.size ?? 0) : 0;
      const added = { bytes: data.length - freed, files: before ? 0 : 1 };
      reserve(usage, added.bytes, added.files);
      const flags = mode === 'append' ? constants.O_APPEND : constants.O_TRUNC;
      const file = await openFile(host, name, constants.O_WRONLY | constants.O_CREAT | flags).catch((error) => {
        usage.bytes -= added.bytes;
        usage.files -= added.files;
        throw error;
      });
      try {
        await file.writeFile(data);
      } finally {
        await file.close();
      }
    },
    async list(path, recursive) {
      const { host, name } = await locate(path, { isRootFine: true });
      // A link that a guest made is not followed.
      const found = await describe(host, name);
      if (!found) throw fileError('ENOENT', `there is no folder ${name}.`);
      if (found.kind === 'file') throw fileError('ENOTDIR', `${name} is not a folder.`);
      const entries: FileEntry[] = [];
      await collect(host, '', recursive, entries).catch((error: NodeJS.ErrnoException) => {
        throw fileError(error.code ?? 'EIO', `cannot list ${name}.`);
      });
      return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async stat(path) {
      const { host, name, parts } = await locate(path, { isRootFine: true });
      const entry = await describe(host, parts.at(-1) ?? '');
      if (!entry) throw fileError('ENOENT', `there is no ${name}.`);
      return entry;
    },
    async makeFolder(path, recursive) {
      const { parts } = await locate(path, { isRootFine: true }).catch((error) => {
        if (!recursive) throw error;
        return { parts: parseGuestPath(path) };
      });
      for (let length = 2; length <= parts.length; length++) {
        if (!recursive && length < parts.length) continue;
        const { host, name, usage } = await locate(guestPath(parts.slice(0, length)), { isRootFine: true });
        const found = await describe(host, '');
        if (found?.kind === 'file' || (found && !recursive)) throw fileError('EEXIST', `${name} is there already.`);
        if (found) continue;
        reserve(usage, 0, 1);
        await mkdir(host, 0o700).catch((error: NodeJS.ErrnoException) => {
          usage.files -= 1;
          throw fileError(error.code ?? 'EIO', `cannot make the folder ${name}.`);
        });
      }
    },
    async remove(path, { recursive, force }) {
      const { host, name, usage } = await locate(path, { isRootFine: false });
      const found = await lstat(host).catch(() => undefined);
      if (!found && force) return;
      if (!found) throw fileError('ENOENT', `there is no ${name}.`);
      if (found.isDirectory() && !recursive) throw fileError('EISDIR', `${name} is a folder; pass {recursive: true}.`);
      const size = await measure(host);
      if (found.isDirectory()) await rm(host, { recursive: true, force: true });
      else await unlink(host);
      usage.bytes -= size.bytes;
      usage.files -= size.files;
    },
    async removeFolder(path) {
      const { host, name, usage } = await locate(path, { isRootFine: false });
      await rmdir(host).catch((error: NodeJS.ErrnoException) => {
        throw fileError(error.code ?? 'EIO', `cannot remove the folder ${name}.`);
      });
      usage.files -= 1;
    },
    async rename(from, to) {
      const source = await locate(from, { isRootFine: false });
      const target = await locate(to, { isRootFine: false });
      // A file that takes its own place frees nothing.
      const replaced = source.host === target.host ? { bytes: 0, files: 0 } : await measure(target.host);
      await rename(source.host, target.host).catch((error: NodeJS.ErrnoException) => {
        throw fileError(error.code ?? 'EIO', `cannot rename ${source.name} to ${target.name}.`);
      });
      target.usage.bytes -= replaced.bytes;
      target.usage.files -= replaced.files;
    },
    async destroy() {
      await use.opened?.catch(() => undefined);
      await rm(root, { recursive: true, force: true });
    },
  };
  return {
    ...workspace,
    write: (path, data, mode) => inTurn(() => workspace.write(path, data, mode)),
    makeFolder: (path, recursive) => inTurn(() => workspace.makeFolder(path, recursive)),
    remove: (path, options) => inTurn(() => workspace.remove(path, options)),
    removeFolder: (path) => inTurn(() => workspace.removeFolder(path)),
    rename: (from, to) => inTurn(() => workspace.rename(from, to)),
    destroy: () => inTurn(workspace.destroy),
  };
}

async function prepare(root: string): Promise<Size> {
  for (const name of WRITABLE_ROOTS) await mkdir(join(root, name), { recursive: true, mode: 0o700 });
  const { bytes, files } = await measure(root);
  return { bytes, files: files - WRITABLE_ROOTS.length - 1 };
}

async function measure(path: string): Promise<Size> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return { bytes: 0, files: 0 };
  if (!found.isDirectory()) return { bytes: found.size, files: 1 };
  const total = { bytes: 0, files: 1 };
  for (const name of await readdir(path)) {
    const inner = await measure(join(path, name));
    total.bytes += inner.bytes;
    total.files += inner.files;
  }
  return total;
}

async function collect(folder: string, prefix: string, recursive: boolean, entries: FileEntry[]): Promise<void> {
  for (const name of await readdir(folder)) {
    if (entries.length >= MAX_LISTED) return;
    const entry = await describe(join(folder, name), prefix + name);
    if (!entry) continue;
    entries.push(entry);
    if (recursive && entry.kind === 'directory') await collect(join(folder, name), `${prefix}${name}/`, true, entries);
  }
}

/** Links, devices and pipes are not shown: nothing of ours makes them. */
async function describe(host: string, name: string): Promise<FileEntry | undefined> {
  const found = await lstat(host).catch(() => undefined);
  if (!found?.isFile() && !found?.isDirectory()) return undefined;
  return {
    name,
    kind: found.isFile() ? 'file' : 'directory',
    size: found.isFile() ? found.size : 0,
    mtimeMs: found.mtimeMs,
  };
}
