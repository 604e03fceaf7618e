import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the dashboard. */
export interface DashboardFile {
  readonly type: string;
  readonly bytes: Buffer<ArrayBuffer>;
  readonly zipped: Promise<Buffer<ArrayBuffer>>;
}

/** The built dashboard. */
export interface DashboardFiles {
  /** The page, into which {@link pageFor} writes the base and the nonce. */
  readonly page: string;
  /** The other files by their path, such as `ui/assets/index-1a2b.js`. */
  readonly files: ReadonlyMap<string, DashboardFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
  '.svg': 'image/svg+xml',
};
/** The folder is next to `src`, `dist` and `build`; a bundle has fewer folders than the sources. */
const MAX_PARENTS = 4;
const zip = promisify(gzip);

/** Returns the built dashboard of this package; undefined if it is not built. */
export function readDashboard(): DashboardFiles | undefined {
  const folder = findFolder();
  if (folder === undefined) return undefined;
  const files = new Map<string, DashboardFile>();
  for (const entry of readdirSync(join(folder, 'ui'), { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    files.set(relative(folder, path).split(sep).join('/'), { type, bytes, zipped: zip(bytes, { level: 9 }) });
  }
  return { page: readFileSync(join(folder, 'index.html'), 'utf8'), files };
}

function findFolder(): string | undefined {
  let parent = dirname(fileURLToPath(import.meta.url));
  for (let level = 0; level < MAX_PARENTS; level += 1) {
    const folder = join(parent, 'dashboard');
    if (existsSync(join(folder, 'index.html'))) return folder;
    parent = dirname(parent);
  }
  return undefined;
}
