import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { childrenOf } from '../../processes/processor.ts';
import { killJail } from './launch.ts';

const isLinux = process.platform === 'linux';

it.runIf(isLinux)(
  'kills processes that the first process no longer has as children, so that the channel ends',
  async () => {
    // The inner shell ends at once, and leaves its process to the system: as one that starts while the list is read.
    const script = '(sleep 600 & echo started); exec sleep 600';
    const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const closed = once(child, 'close');
    await once(child.stdout, 'data');
    while (childrenOf(Number(child.pid)).length > 0) await sleep(5);
    killJail(child);
    // A left process keeps the channel open, and the stream never closes.
    expect(await closed).toEqual([null, 'SIGKILL']);
  },
);
