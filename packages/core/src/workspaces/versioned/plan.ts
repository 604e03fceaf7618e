import { createHash } from 'node:crypto';
import { inOrder, type Manifest, type ManifestEntry } from './manifest.ts';
import type { Found, FoundFile } from './scan.ts';

/** The content of one blob: files of the folder, one after the other. */
export interface Upload {
  readonly key: string;
  readonly files: readonly { readonly path: string; readonly sha256: string; readonly size: number }[];
}

/** The next version of a folder, and the contents to upload before it. */
export interface VersionPlan {
  readonly manifest: Manifest;
  readonly uploads: readonly Upload[];
}

/** Smaller files share blobs, so that thousands of them are a few requests. */
const SMALL_BYTES = 256 * 1024;
const PACK_BYTES = 1024 * 1024;
/** A shared blob with a smaller part in use is written again. */
const MIN_USED = 0.5;

interface Place {
  readonly key: string;
  readonly offset: number;
}

/** Plans the version with the found files. Contents that `base` has stay where they are. Equal files are stored once. */
export function planVersion(
  found: ReadonlyMap<string, Found>,
  base: Manifest,
  applied: Manifest['applied'],
): VersionPlan {
  const places = placesOf(base, found);
  const missing = new Map<string, { path: string } & FoundFile>();
  for (const [path, file] of found) {
    if (file.kind === 'file' && file.size > 0 && !places.has(file.sha256)) missing.set(file.sha256, { path, ...file });
  }
  const uploads = packed([...missing.values()]);
  for (const { key, files } of uploads) {
    let offset = 0;
    for (const { sha256, size } of files) {
      places.set(sha256, { key, offset });
      offset += size;
    }
  }
  const sizes = new Map(uploads.map(({ key, files }) => [key, files.reduce((sum, { size }) => sum + size, 0)]));
  const entries = [...found].map(([path, each]): [string, ManifestEntry] => [path, versionOf(each, places)]);
  const used = new Set(entries.flatMap(([, entry]) => (entry.kind === 'file' && entry.blob !== '' ? entry.blob : [])));
  const blobs = [...used].map((key): [string, number] => [key, sizes.get(key) ?? base.blobs.get(key) ?? 0]);
  return {
    manifest: { entries: inOrder(entries), blobs: new Map(blobs), applied },
    uploads,
  };
}

function versionOf(found: Found, places: ReadonlyMap<string, Place>): ManifestEntry {
  if (found.kind !== 'file') return found;
  const { kind, mode, mtimeMs, size, sha256 } = found;
  const { key, offset } = places.get(sha256) ?? { key: '', offset: 0 };
  return { kind, mode, mtimeMs, size, sha256, blob: size === 0 ? '' : key, offset: size === 0 ? 0 : offset };
}

/** Returns the place of each content that `base` has, without those in blobs that are mostly unused. */
function placesOf({ entries, blobs }: Manifest, found: ReadonlyMap<string, Found>): Map<string, Place> {
  const wanted = new Set([...found.values()].flatMap((each) => (each.kind === 'file' ? each.sha256 : [])));
  const places = new Map<string, Place>();
  const used = new Map<string, number>();
  for (const entry of entries.values()) {
    if (entry.kind !== 'file' || entry.blob === '' || places.has(entry.sha256) || !wanted.has(entry.sha256)) continue;
    places.set(entry.sha256, { key: entry.blob, offset: entry.offset });
    used.set(entry.blob, (used.get(entry.blob) ?? 0) + entry.size);
  }
  for (const [sha256, { key }] of places) {
    if ((used.get(key) ?? 0) < (blobs.get(key) ?? 0) * MIN_USED) places.delete(sha256);
  }
  return places;
}

/** Gives each large file a blob of its own, and packs small ones. The key is the hash of the content, or of the hashes in a pack. */
function packed(files: readonly ({ path: string } & FoundFile)[]): Upload[] {
  const uploads: Upload[] = [];
  let pack: Upload['files'][number][] = [];
  let bytes = 0;
  const finish = () => {
    if (pack.length > 0) uploads.push({ key: keyOf(pack), files: pack });
    [pack, bytes] = [[], 0];
  };
  for (const { path, sha256, size } of files) {
    if (size > SMALL_BYTES) uploads.push({ key: sha256, files: [{ path, sha256, size }] });
    else {
      if (bytes + size > PACK_BYTES) finish();
      pack.push({ path, sha256, size });
      bytes += size;
    }
  }
  finish();
  return uploads;
}

function keyOf(pack: Upload['files']): string {
  const [only, ...more] = pack.map(({ sha256 }) => sha256);
  if (only !== undefined && more.length === 0) return only;
  const hash = createHash('sha256');
  for (const { sha256 } of pack) hash.update(sha256);
  return hash.digest('hex');
}
