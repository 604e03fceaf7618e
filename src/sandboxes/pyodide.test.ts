import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childrenOf } from '../../test/fixtures/processes.ts';
import { conformanceCases, runConformanceCase } from './conformance.ts';
import { probePyodide, pyodideSandbox } from './pyodide.ts';
import type { Sandbox } from './sandbox.ts';

const cacheDir = mkdtempSync(join(tmpdir(), 'toolwright-pyodide-test-'));
const options = { kill: killGuests };
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await pyodideSandbox({ cacheDir, maxProcesses: 2 });
}, 300_000);

afterAll(async () => {
  await sandbox?.[Symbol.asyncDispose]();
  rmSync(cacheDir, { recursive: true, force: true });
});

describe('conformance', () => {
  const cases = conformanceCases.filter(({ programs }) => programs.python !== undefined);
  it.each(cases)('$area: $name', (testCase) => runConformanceCase(sandbox, testCase, options));
});

interface Finished {
  readonly value?: unknown;
  readonly error?: string;
  readonly stopped?: string;
  readonly stack?: string;
  readonly requests: readonly string[];
}

/** Runs a program on the sandbox alone; every request of it is answered with null. */
async function run(code: string, timeoutMs = 30_000, memoryBytes = 64 * 1024 * 1024): Promise<Finished> {
  const requests: string[] = [];
  const bridge = {
    request: async (_id: number, payload: string) => {
      requests.push(payload);
      const [operation, wait]: unknown[] = JSON.parse(payload);
      if (operation === 'sleep') await new Promise((resolve) => setTimeout(resolve, Number(wait)));
      return { ok: true, payload: 'null' };
    },
    notice: () => undefined,
  };
  const program = { guest: 'python' as const, code, seed: 7, epochMs: Date.now() };
  const outcome = await sandbox.run(program, { bridge, limits: { timeoutMs, memoryBytes, messageBytes: 1024 * 1024 } });
  if (outcome.status === 'completed') return { value: JSON.parse(outcome.value ?? 'null'), requests };
  if (outcome.status === 'failed') return { error: `${outcome.error.name}: ${outcome.error.message}`, requests };
  return { stopped: outcome.limit, stack: outcome.stack ?? '', requests };
}

function killGuests(): void {
  for (const { pid, command } of childrenOf()) if (command.includes('guest/pyodide.js')) process.kill(pid, 'SIGKILL');
}

it('is available where the package is installed', async () => {
  expect(await probePyodide()).toMatchObject({ available: true });
});

describe('time', () => {
  it('tells where a program that computes was', async () => {
    const code = 'def work():\n    while True:\n        pass\nwork()';
    expect(await run(code, 400)).toMatchObject({ stopped: 'timeout', stack: expect.stringContaining('/program.py:') });
  });

  it('ends a program that waits for nothing but time', async () => {
    expect(await run('import asyncio\nawait asyncio.sleep(60)', 400)).toMatchObject({ stopped: 'timeout' });
  });

  it('waits for the time, not for the host, where both can come', async () => {
    const code = `import asyncio, time
start = time.monotonic()
try:
    await asyncio.wait_for(sleep(5), 0.2)
except TimeoutError:
    result = time.monotonic() - start < 3`;
    expect(await run(code)).toMatchObject({ value: true });
  });

  it('takes answers in a program that never stops to wait for them', async () => {
    const code = `import asyncio
task = asyncio.create_task(call_mcp_tool("a__b"))
rounds = 0
while not task.done():
    rounds += 1
    await asyncio.sleep(0)
result = rounds > 0`;
    expect(await run(code)).toMatchObject({ value: true });
  });

  it('asks the host for few alarms in a program with many timed waits', async () => {
    const code = `import asyncio
async def many():
    for _ in range(200):
        await call_mcp_tool("a__b")
await asyncio.wait_for(many(), 60)
result = "done"`;
    const { value, requests } = await run(code);
    expect(value).toBe('done');
    expect(requests.filter((request) => request.includes('"sleep"')).length).toBeLessThan(10);
  });
});
