import { promisify } from 'node:util';
import { constants, deflateRaw, inflateRaw } from 'node:zlib';
import * as z from 'zod';
import { ToolwrightError } from '../../errors.ts';

/** A file of one version of a folder, and the place of its content. */
export interface FileVersion {
  readonly kind: 'file';
  readonly mode: number;
  /** Time of the last change, whole milliseconds since the epoch. */
  readonly mtimeMs: number;
  readonly size: number;
  readonly sha256: string;
  /** The blob with the content, and where it starts there. The blob of an empty file is ''. */
  readonly blob: string;
  readonly offset: number;
}

/** One file, folder or symbolic link of a version. */
export type ManifestEntry =
  | FileVersion
  | { readonly kind: 'folder'; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string };

/** All files of one version of a folder. */
export interface Manifest {
  /** By path, with slashes. A folder comes before its content. */
  readonly entries: ReadonlyMap<string, ManifestEntry>;
  /** The bytes of each blob. */
  readonly blobs: ReadonlyMap<string, number>;
  /** The requests of executions whose changes are part of the version, by execution: a continued execution repeats the others. */
  readonly applied: ReadonlyMap<string, ReadonlySet<number>>;
}

export const EMPTY_MANIFEST: Manifest = { entries: new Map(), blobs: new Map(), applied: new Map() };

/** Executions whose requests a manifest has; the newest ones. Others have ended long ago. */
const MAX_EXECUTIONS = 20;
const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** The rows of files refer to blobs by their position: a hash has 64 characters. */
const schema = z.object({
  format: z.literal(1),
  blobs: z.array(z.tuple([z.string(), z.number()])),
  files: z.array(z.tuple([z.string(), z.number(), z.number(), z.number(), z.string(), z.number(), z.number()])),
  folders: z.array(z.tuple([z.string(), z.number()])),
  links: z.array(z.tuple([z.string(), z.string()])),
  applied: z.array(z.tuple([z.string(), z.array(z.number())])),
});

/** Returns a manifest as compressed bytes. */
export async function encodeManifest({ entries, blobs, applied }: Manifest): Promise<Buffer> {
  const keys = [...blobs.keys()];
  const positions = new Map(keys.map((key, index) => [key, index]));
  const content: z.infer<typeof schema> = {
    format: 1,
    blobs: [...blobs],
    files: [],
    folders: [],
    links: [],
    applied: [...applied].slice(-MAX_EXECUTIONS).map(([id, requests]) => [id, [...requests]]),
  };
  for (const [path, entry] of entries) {
    if (entry.kind === 'folder') content.folders.push([path, entry.mode]);
    else if (entry.kind === 'link') content.links.push([path, entry.target]);
    else {
      const { mode, mtimeMs, size, sha256, blob, offset } = entry;
      content.files.push([path, mode, mtimeMs, size, sha256, positions.get(blob) ?? -1, offset]);
    }
  }
  return deflate(JSON.stringify(content), { level: constants.Z_BEST_SPEED });
}

/** Reads the bytes of {@link encodeManifest}. Raises `STORE_UNAVAILABLE` for any others. */
export async function decodeManifest(bytes: Uint8Array): Promise<Manifest> {
  const content = await parse(bytes);
  const keys = content.blobs.map(([key]) => key);
  const entries: [string, ManifestEntry][] = [];
  for (const [path, mode] of content.folders) entries.push([path, { kind: 'folder', mode }]);
  for (const [path, target] of content.links) entries.push([path, { kind: 'link', target }]);
  for (const [path, mode, mtimeMs, size, sha256, position, offset] of content.files) {
    entries.push([path, { kind: 'file', mode, mtimeMs, size, sha256, blob: keys[position] ?? '', offset }]);
  }
  return {
    entries: inOrder(entries),
    blobs: new Map(content.blobs),
    applied: new Map(content.applied.map(([id, requests]) => [id, new Set(requests)])),
  };
}

/** Returns entries by path, so that a folder comes before its content. */
export function inOrder<Entry>(entries: Iterable<[string, Entry]>): Map<string, Entry> {
  return new Map([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns whether two manifests have the same files and applied requests. Blobs do not count: a file may be in another one. */
export function isSameVersion(one: Manifest, other: Manifest): boolean {
  if (one.entries.size !== other.entries.size) return false;
  for (const [path, entry] of one.entries) if (!isSameEntry(entry, other.entries.get(path))) return false;
  const counts = ({ applied }: Manifest) => [...applied].map(([id, { size }]) => `${id} ${size}`).join();
  return counts(one) === counts(other);
}

/** Returns whether two entries have the same content, mode and time. */
export function isSameEntry(one: ManifestEntry, other: ManifestEntry | undefined): boolean {
  if (other?.kind === 'folder') return one.kind === 'folder' && one.mode === other.mode;
  return hasSameContent(one, other) && (one.kind !== 'file' || isSameFile(one, other));
}

/** Returns whether two entries have the same content: two folders always have. */
export function hasSameContent(one: ManifestEntry, other: ManifestEntry | undefined): boolean {
  if (one.kind === 'file') return other?.kind === 'file' && one.sha256 === other.sha256 && one.size === other.size;
  if (one.kind === 'link') return other?.kind === 'link' && one.target === other.target;
  return other?.kind === 'folder';
}

function isSameFile(one: FileVersion, other: ManifestEntry | undefined): boolean {
  return other?.kind === 'file' && one.mode === other.mode && one.mtimeMs === other.mtimeMs;
}

async function parse(bytes: Uint8Array): Promise<z.infer<typeof schema>> {
  try {
    const content = schema.parse(JSON.parse((await inflate(bytes)).toString()));
    const paths = [...content.files, ...content.folders, ...content.links].map(([path]) => path);
    if (paths.some((path) => path.split('/').some((part) => part === '' || part === '.' || part === '..'))) {
      throw new Error('a path leads outside');
    }
    return content;
  } catch (cause) {
    const message = 'The manifest of a folder in PostgreSQL is damaged. Restore the database from a backup.';
    throw new ToolwrightError('STORE_UNAVAILABLE', message, { cause });
  }
}
