import { renameSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Topic, topic } from '@toolwright/sandbox/internal';
import type { Logger } from '../log.ts';

/** A damaged file of a data folder. It is renamed and never deleted, so that an operator can examine or repair it. */
export interface DamagedFile {
  /** The kind of its content, for instance `session record`. */
  readonly kind: string;
  /** Its name before, relative to the data folder. */
  readonly file: string;
  /** Its name now. The same name if it could not be renamed. */
  readonly renamedTo: string;
  readonly problem: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Published for each damaged file, with absolute paths. */
const fileDamaged: Topic<DamagedFile> = topic('toolwright.file.damaged');
/** Damaged files that are listed. */
const MAX_LISTED = 100;
/** Errors of reading a path that is not a regular file. */
const NO_FILE: ReadonlySet<unknown> = new Set(['EISDIR', 'ENOTDIR', 'ENXIO', 'ELOOP']);

/** Renames a damaged file to `<name>.damaged-<time>` and reports it. `problem` contains no content of the file. */
export function quarantine(path: string, kind: string, problem: string): void {
  const at = new Date().toISOString();
  let renamedTo = `${path}.damaged-${at.replaceAll(/\D/g, '')}`;
  try {
    renameSync(path, renamedTo);
  } catch (error) {
    // Another process was faster.
    if (Object(error).code === 'ENOENT') return;
    renamedTo = path;
  }
  fileDamaged.publish({ kind, file: path, renamedTo, problem, at });
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
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (!NO_FILE.has(code)) throw error;
    return void quarantine(path, kind, `it cannot be read: ${code}`);
  }
  const parsed = parse(text);
  if (parsed === undefined) quarantine(path, kind, 'its content is not valid');
  return parsed;
}

/** Parses JSON text. Returns undefined for invalid text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The damaged files of one data folder that this process has found. */
export interface DamagedFiles extends Disposable {
  /** The newest files, oldest first. Their names are relative to the data folder. */
  list(): readonly DamagedFile[];
}

/** Lists and logs damaged files of a data folder from now on. */
export function watchDamagedFiles(dataDir: string, logger: Pick<Logger, 'error'>): DamagedFiles {
  const found = new Map<string, DamagedFile>();
  const stop = fileDamaged.subscribe((damaged) => {
    if (!damaged.file.startsWith(dataDir + sep)) return;
    const [file, renamedTo] = [relative(dataDir, damaged.file), relative(dataDir, damaged.renamedTo)];
    // A file that cannot be renamed is found again at each read.
    if (found.has(renamedTo)) return;
    found.set(renamedTo, { ...damaged, file, renamedTo });
    const [oldest] = found.keys();
    if (found.size > MAX_LISTED && oldest !== undefined) found.delete(oldest);
    logger.error({ ...damaged, dataDir }, `a ${damaged.kind} is damaged: ${join(dataDir, renamedTo)}`);
  });
  return { list: () => [...found.values()], [Symbol.dispose]: stop };
}
