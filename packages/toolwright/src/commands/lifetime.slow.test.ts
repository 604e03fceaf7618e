import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const BUILT = fileURLToPath(new URL('../../build/commands/lifetime.js', import.meta.url));

/** Runs a server of which a part hangs. Sends signals, and returns the exit code and the messages. */
async function hanging(
  part: string,
  { signals, drainMs, closingMs }: { signals: number; drainMs: number; closingMs: number },
) {
  const source = `
    import { once } from 'node:events';
    const { endings } = await import(${JSON.stringify(BUILT)});
    const signals = endings(${drainMs}, console.error, ${closingMs});
    setInterval(() => undefined, 1_000);
    ${part === 'the start' ? '' : "signals.at('running work');"}
    console.log('ready');
    await once(signals.end, 'abort');
    ${part === 'the start' ? '' : `signals.at(${JSON.stringify(part)});`}
    console.log('closing');
    await new Promise(() => undefined);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source]);
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const err = text(child.stderr);
  for (let sent = 0; sent < signals; sent++) {
    await once(lines, 'line');
    child.kill('SIGTERM');
  }
  const [code] = await ended;
  return [code, (await err).trim()];
}

test.each([
  ['the tasks', { signals: 1, drainMs: 100, closingMs: 200 }, 300],
  // A start has no running work to wait for.
  ['the start', { signals: 1, drainMs: 3_600_000, closingMs: 200 }, 200],
  ['the HTTP server', { signals: 2, drainMs: 3_600_000, closingMs: 200 }, 5_000],
])('a server ends after a signal also if %s hangs, and reports it', async (part, options, ms) => {
  const message = `error: ${part} did not end within ${ms} ms after SIGTERM. The process ends now.`;
  expect(await hanging(part, options)).toEqual([143, message]);
});
