import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { GuestOutcome } from '../../packages/sandbox/src/bridge/protocol.ts';
import { openGuestChannel } from '../../packages/sandbox/src/sandboxes/channel.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const COMMANDS = {
  javascript: [process.execPath, '--experimental-vm-modules', '--no-warnings', path('bad-guest.js')],
  python: ['/usr/bin/python3', '-I', '-S', '-B', path('../../packages/sandbox/src/guest/python/main.py'), '3', '3'],
} as const;

/** Long, so that the effects of attacks do not depend on the load of the machine. */
const TIMEOUT_MS = 60_000;

/**
 * Creates a sandbox without isolation, which shows that the judge detects violations. JavaScript runs in `node:vm`,
 * Python in a plain interpreter, with the environment and the rights of this process.
 */
export function badSandbox(): Sandbox {
  return {
    name: 'bad',
    isolation: 'none',
    languages: ['javascript', 'python'],
    run(program, { limits, ...options }) {
      const [command, ...args] = COMMANDS[program.guest];
      const child = spawn(command, args, {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      });
      const stream = child.stdio[3];
      if (!(stream instanceof Duplex)) throw new Error('no channel');
      return new Promise<GuestOutcome>((resolve, reject) => {
        let isStarted = false;
        const onReady = () => {
          if (!isStarted)
            channel.run(program, { ...options, limits: { ...limits, timeoutMs: TIMEOUT_MS } }).then(resolve, reject);
          isStarted = true;
        };
        const channel = openGuestChannel(stream, { onReady, onRetired: () => undefined });
        const watchdog = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
        child.once('exit', () => {
          clearTimeout(watchdog);
          resolve({ status: 'stopped', limit: 'timeout' });
        });
      }).finally(() => child.kill('SIGKILL'));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
