import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runSandboxCase, sandboxCasesFor } from '@toolwright/conformance/sandbox';
import { afterAll, expect, it } from 'vitest';
import { openFixture } from '../packages/conformance/src/sandbox/fixture.ts';
import { pythonLanguage } from '../packages/sandbox/src/languages/python.ts';
import { probeJail } from '../packages/sandbox/src/sandboxes/jail.ts';
import { needsPlainPython, plainPythonSandbox } from './fixtures/plain-python.ts';
import { childrenOf } from './fixtures/processes.ts';

const sandbox = plainPythonSandbox();
const options = { kill: killGuests };
const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-python-guest-'));
const { execute } = openFixture({ sandbox, language: pythonLanguage(), dataDir, limits: { timeoutMs: 5_000 } });

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

const { available: isJailed } = await probeJail('python');
// A jail runs the same guest with the same cases.
if (!isJailed) {
  needsPlainPython.describe('conformance', () => {
    it.each(sandboxCasesFor(sandbox, options))('$area: $name', (testCase) =>
      runSandboxCase(sandbox, testCase, options),
    );
  });
}

/** The channel for a program that has found it. */
const FRAMES = `import os, select, signal, struct, time
signal.setitimer(signal.ITIMER_REAL, 0)
def frame(kind, id, text):
    data = text.encode()
    return struct.pack(">IBI", len(data) + 5, kind, id) + data
`;

needsPlainPython.describe('a program that attacks its process', () => {
  it.each<[string, string, object]>([
    [
      'reports its end, and that it is ready for the next program',
      `${FRAMES}os.write(3, frame(6, 0, "1") + frame(7, 0, "null") + frame(7, 0, '{"secret":"","next":""}'))
while True:
    os.read(3, 65536)
    os.write(3, frame(6, 0, '"stolen"'))`,
      { status: 'completed', value: 1 },
    ],
    ['ends without a word', `${FRAMES}os.kill(os.getpid(), signal.SIGKILL)`, { status: 'stopped', limit: 'memory' }],
    [
      'crashes',
      'import ctypes\nctypes.string_at(0)',
      { status: 'failed', error: { kind: 'user', message: expect.stringMatching(/SIGSEGV/) } },
    ],
    [
      'closes its channel',
      'import os\nos.close(3)',
      { status: 'failed', error: { message: expect.stringMatching(/exit code 1/) } },
    ],
    [
      'breaks the protocol',
      'import os\nos.write(3, b"\\xff" * 100)',
      { status: 'failed', error: { code: 'BRIDGE_PROTOCOL' } },
    ],
    [
      'leaves half a message',
      `${FRAMES}os.write(3, frame(2, 1, "x" * 100)[:50])\nos.kill(os.getpid(), 9)`,
      { status: 'failed', error: { code: 'SANDBOX_LOST' } },
    ],
    [
      'reads half an answer',
      // A small request may wait in a buffer for the next frame, and this program would wait for its answer for ever.
      `${FRAMES}_ = call_mcp_tool("tools__echo", {"value": "x" * 1_000_000})\nselect.select([3], [], [])\nos.read(3, 1_000)\nreturn 2`,
      { status: 'completed', value: 2 },
    ],
    [
      'leaves children behind',
      'import subprocess\nsubprocess.Popen(["/bin/sleep", "60"])\nreturn 3',
      { status: 'completed', value: 3 },
    ],
    ['forks', 'import os\nif os.fork() == 0:\n    os._exit(0)\nreturn 4', { status: 'completed', value: 4 }],
  ])('and %s: the next one runs', async (_name, program, expected) => {
    const { result } = await execute(program, { limits: { timeoutMs: 20_000 } });
    expect(result).toMatchObject(expected);
    const next = await execute('import os\nreturn [call_mcp_tool("tools__echo", {"value": 5}).__class__.__name__, 5]');
    expect(next.result).toMatchObject({ status: 'completed', value: ['Answer', 5] });
    await sleep(50);
    expect(childrenOf(1).filter(({ command }) => command.includes('sleep 60'))).toEqual([]);
  });
});

function killGuests(): void {
  for (const { pid, command } of childrenOf()) if (command.includes('python/main.py')) process.kill(pid, 'SIGKILL');
}
