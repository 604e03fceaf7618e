import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { GuestOutcome } from '../../src/bridge/protocol.ts';
import { openGuestChannel } from '../../src/sandboxes/channel.ts';
import type { Sandbox } from '../../src/sandboxes/sandbox.ts';

const GUEST = fileURLToPath(new URL('bad-guest.js', import.meta.url));

/** A sandbox that keeps nothing in; it exists to prove that the judge sees what gets out. */
export function badSandbox(): Sandbox {
  return {
    name: 'bad',
    isolation: 'none',
    languages: ['javascript'],
    run(program, options) {
      const child = spawn(process.execPath, ['--experimental-vm-modules', '--no-warnings', GUEST], {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      });
      const stream = child.stdio[3];
      if (!(stream instanceof Duplex)) throw new Error('no channel');
      return new Promise<GuestOutcome>((resolve, reject) => {
        const channel = openGuestChannel(stream, () => channel.run(program, options).then(resolve, reject));
        const watchdog = setTimeout(() => child.kill('SIGKILL'), options.limits.timeoutMs + 1_000);
        child.once('exit', () => {
          clearTimeout(watchdog);
          resolve({ status: 'stopped', limit: 'timeout' });
        });
      }).finally(() => child.kill('SIGKILL'));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
