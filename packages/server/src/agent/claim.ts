import { open, readFile, rm, stat } from 'node:fs/promises';
import { isRunning, type RunHost } from './process.ts';

/** The exclusive right of one process to run a task. */
export interface Claim {
  /** Number of the run. */
  readonly run: number;
  release(): Promise<void>;
}

/** A claim of another machine expires after this time, because its process cannot be checked. */
const FOREIGN_CLAIM_MS = 60_000;

/** Claims the first free run of a transcript, starting at a number. Returns undefined when a live process owns it. */
export async function claimRun(path: string, from: number, host: RunHost): Promise<Claim | undefined> {
  for (let run = from; ; run++) {
    const place = `${path}.run${run}`;
    const file = await open(place, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (file) {
      try {
        await file.writeFile(JSON.stringify(host));
      } finally {
        await file.close();
      }
      return { run, release: () => rm(place, { force: true }) };
    }
    if (!(await isAbandoned(place))) return undefined;
  }
}

/** Returns whether the owner of a claim died before it started the run. */
async function isAbandoned(place: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(place, 'utf8'), stat(place)]);
    const isOld = Date.now() - mtimeMs > FOREIGN_CLAIM_MS;
    if (text === '') return isOld;
    return !(isRunning(JSON.parse(text)) ?? !isOld);
  } catch {
    // Another process ran the task and released the claim in the meantime.
    return false;
  }
}
