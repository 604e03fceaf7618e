import { readFileSync, renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Topic, topic } from '@toolwright/sandbox/internal';
import type { Logger } from '../log.ts';

/** A damaged file of a data folder. It is renamed and never deleted, so that an operator can examine or repair it. */
export interface DamagedFile {
  /** The kind of its content, for instance `session record`. */
  readonly kind: string;
  /** Its name before, relative to its folder: the data folder, or the cache folder of a plugin. */
  readonly file: string;
  /** Its name now. The same name if it could not be renamed. */
  readonly renamedTo: string;
  readonly problem: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** With absolute paths. Each data folder lists the files of a cache folder, which is outside of it. */
interface FoundFile extends DamagedFile {
  readonly cacheFolder?: string | undefined;
}

/** Published for each damaged file. */
const fileDamaged: Topic<FoundFile> = topic('toolwright.file.damaged');
/** Damaged files that are listed. */
const MAX_LISTED = 100;
/** Errors of reading a path that is not a regular file. */
const NO_FILE: ReadonlySet<unknown> = new Set(['EISDIR', 'ENOTDIR', 'ENXIO', 'ELOOP']);

/**
 * Renames a damaged file to `<name>.damaged-<time>` and reports it. `problem` contains no content of the file. A file that is
 * not in the data folder needs `cacheFolder`.
 */
export function quarantine(path: string, kind: string, problem: string, cacheFolder?: string): void {
  const at = new Date().toISOString();
  let renamedTo = `${path}.damaged-${at.replaceAll(/\D/g, '')}`;
  try {
    renameSync(path, renamedTo);
  } catch (error) {
    // Another process was faster.
    if (Object(error).code === 'ENOENT') return;
    renamedTo = path;
  }
  fileDamaged.publish({ kind, file: path, renamedTo, problem, at, cacheFolder });
}

/**
 * Reads a file that Toolwright wrote. `parse` returns undefined for content that is damaged: the file is then quarantined.
 * Returns undefined for a missing or damaged file. Raises other errors of reading.
 */
export async function readOwnFile<T>(
  path: string,
  kind: string,
  parse: (text: string) => T | undefined,
): Promise<T | undefined> {
  const read = await readFile(path, 'utf8').catch((error: unknown) => ({ error }));
  return parsed({ path, kind }, read, parse);
}

/** Reads a file of a cache folder that Toolwright wrote, like {@link readOwnFile}. */
export function readCachedFile<T>(
  cacheFolder: string,
  name: string,
  kind: string,
  parse: (text: string) => T | undefined,
): T | undefined {
  const path = join(cacheFolder, name);
  let read: string | { readonly error: unknown };
  try {
    read = readFileSync(path, 'utf8');
  } catch (error) {
    read = { error };
  }
  return parsed({ path, kind, cacheFolder }, read, parse);
}

/** Returns the content of a file that was read, or quarantines it. */
function parsed<T>(
  { path, kind, cacheFolder }: { readonly path: string; readonly kind: string; readonly cacheFolder?: string },
  read: string | { readonly error: unknown },
  parse: (text: string) => T | undefined,
): T | undefined {
  if (typeof read !== 'string') {
    const { code } = read.error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (!NO_FILE.has(code)) throw read.error;
    return void quarantine(path, kind, `it cannot be read: ${code}`, cacheFolder);
  }
  const content = parse(read);
  if (content === undefined) quarantine(path, kind, 'its content is not valid', cacheFolder);
  return content;
}

/** The damaged files of one data folder, and of cache folders, that this process has found. */
export interface DamagedFiles extends Disposable {
  /** The newest files, oldest first. Their names are relative to these folders. */
  list(): readonly DamagedFile[];
}

/** Lists and logs damaged files of a data folder from now on. */
export function watchDamagedFiles(dataDir: string, logger: Logger): DamagedFiles {
  const found = new Map<string, DamagedFile>();
  const stop = fileDamaged.subscribe(({ cacheFolder, ...damaged }) => {
    const folder = cacheFolder ?? dataDir;
    if (!damaged.file.startsWith(folder + sep)) return;
    const [file, renamedTo] = [relative(folder, damaged.file), relative(folder, damaged.renamedTo)];
    // A file that cannot be renamed is found again at each read.
    if (found.has(renamedTo)) return;
    found.set(renamedTo, { ...damaged, file, renamedTo });
    const [oldest] = found.keys();
    if (found.size > MAX_LISTED && oldest !== undefined) found.delete(oldest);
    logger.error({ ...damaged, dataDir }, `a ${damaged.kind} is damaged: ${join(folder, renamedTo)}`);
  });
  return { list: () => [...found.values()], [Symbol.dispose]: stop };
}
