import { join } from 'node:path';
import { namesIn } from '../data-folder/own-files.ts';
import { ToolwrightError } from '../errors.ts';
import { monotonicMs, thisMachine } from '../machine-clock.ts';

/** The leases of a former version were files, whose names have their ends by the wall clock and by the clock of the machine. */
const NAME = /^[\da-f-]{36}\.(\d+)\.(\d+)\.([\da-f]{8})$/;
const TTL_MS = 10_000;

/** Raises `CONFIG_INVALID` while a process of a former version works in a data folder: it does not see the leases of this one. */
export function requireNoFormerProcess(dataDir: string): void {
  const lives = namesIn(join(dataDir, 'owners')).some((name) => {
    const [, wall, monotonic, machine] = NAME.exec(name) ?? [];
    if (machine === undefined) return false;
    const leftMs = Number(monotonic) - monotonicMs();
    // A longer time is that of a machine that has started again.
    return machine === thisMachine() && leftMs <= TTL_MS + 1 ? leftMs > 0 : Number(wall) > Date.now();
  });
  if (!lives) return;
  const message = `A process of a former version of Toolwright works in the data folder ${dataDir}. Stop it, wait 10 s, then start this version again.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}
