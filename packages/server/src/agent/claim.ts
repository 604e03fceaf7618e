import { open, readFile, rm, stat } from 'node:fs/promises';
import { isRunning, type RunHost } from './process.ts';

/** The right to run a task on, which one process at a time has. */
export interface Claim {
  /** Number of the run. */
  readonly run: number;
  release(): Promise<void>;
}

/** Of a process on another machine nothing is known: what it claimed and did not begin for so long is free again. */
const FOREIGN_MS = 60_000;

/** Claims the first free run of a transcript from a number on; undefined when a live process has it. */
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
    if (!(await isLeft(place))) return undefined;
  }
}

/** Whether its owner died before it began. */
async function isLeft(place: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(place, 'utf8'), stat(place)]);
    const isOld = Date.now() - mtimeMs > FOREIGN_MS;
    if (text === '') return isOld;
    return !(isRunning(JSON.parse(text)) ?? !isOld);
  } catch {
    // It was released meanwhile, by a process that has run the task.
    return false;
  }
}
