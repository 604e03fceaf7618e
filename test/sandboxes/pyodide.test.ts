import { runSandboxCase, sandboxCasesFor } from '@toolwright/conformance/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { probePyodide, pyodideSandbox } from '../../packages/sandbox/src/sandboxes/pyodide.ts';
import { ADAPTER_AREAS, replaysOf } from '../fixtures/adapter-areas.ts';
import { killPyodideGuests, runPython } from '../fixtures/pyodide.ts';

// WebAssembly has no threads here. `pyodide/isolation.test.ts` tests the isolation.
const areas = ADAPTER_AREAS.areas?.filter((area) => area !== 'isolation');
const options = { ...(areas ? { areas } : {}), kill: killPyodideGuests, threads: false };
const sandbox = await pyodideSandbox({ maxProcesses: 2 });

afterAll(() => sandbox[Symbol.asyncDispose]());

it('is available where the package is installed', async () => {
  expect(await probePyodide()).toMatchObject({ available: true });
});

describe('conformance', () => {
  // The file system is that of Emscripten.
  const files = sandboxCasesFor(sandbox, { threads: false }).filter(({ name }) =>
    name.startsWith('the next program has'),
  );
  const cases = new Set([...sandboxCasesFor(sandbox, options), ...files]);
  it.each([...cases])('$area: $name', (testCase) =>
    runSandboxCase(sandbox, testCase, { ...options, ...replaysOf(testCase) }),
  );
});

/**
 * Returns the line at which a program reached its time limit. The sandbox cannot always report it: a guest without
 * processor time in the 300 ms after its deadline is killed. On a busy machine, one of five runs must report it.
 */
async function placeAtTimeout(code: string): Promise<string> {
  for (let run = 0; run < 5; run++) {
    const { stopped, stack = '' } = await runPython(sandbox, code, { timeoutMs: 1_000 });
    expect(stopped).toBe('timeout');
    if (stack !== '') return stack;
  }
  return '';
}

it('has the time zones of the host', async () => {
  const code = `from datetime import datetime
from zoneinfo import ZoneInfo, available_timezones
def hour(zone, month):
    return datetime(2026, month, 9, 12, tzinfo=ZoneInfo("UTC")).astimezone(ZoneInfo(zone)).hour
def missing(zone):
    try:
        return str(ZoneInfo(zone))
    except Exception as error:
        return type(error).__name__
[hour("Europe/Berlin", 1), hour("Europe/Berlin", 7), hour("America/New_York", 7), hour("Asia/Kolkata", 7),
 "America/Argentina/Buenos_Aires" in available_timezones(), missing("Europe/Nowhere"), missing("../../../etc/passwd")]`;
  const { value } = await runPython(sandbox, code);
  expect(value).toEqual([13, 14, 8, 17, true, 'ZoneInfoNotFoundError', 'ValueError']);
});

describe('time', { timeout: 400_000 }, () => {
  it('reports the line of a computing program', async () => {
    const code = 'def work():\n    while True:\n        pass\nwork()';
    expect(await placeAtTimeout(code)).toMatch(/^at work \(\/program.py:[23]:\d+\)\nat \/program.py:4:1$/);
  });

  it('reports the line of a waiting program', async () => {
    const code = 'import asyncio\nasync def nap():\n    await asyncio.sleep(60)\nawait nap()';
    expect(await placeAtTimeout(code)).toContain('/program.py:3:');
  });

  it('ends a program that catches everything', async () => {
    const code = 'while True:\n    try:\n        while True: pass\n    except BaseException: pass';
    expect(await runPython(sandbox, code, { timeoutMs: 1_000 })).toMatchObject({ stopped: 'timeout' });
  });

  it('ends a program that never returns to Python', async () => {
    const code = 'import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n10 ** 10 ** 9';
    expect(await runPython(sandbox, code, { timeoutMs: 1_000 })).toMatchObject({ stopped: 'timeout' });
  });

  it('waits for the time, not for the host, if both can happen', async () => {
    const code = `import asyncio, time
start = time.monotonic()
try:
    await asyncio.wait_for(sleep(20), 0.2)
except TimeoutError:
    result = time.monotonic() - start < 10`;
    expect(await runPython(sandbox, code)).toMatchObject({ value: true });
  });

  it('receives answers in a program that never stops to wait for them', async () => {
    const code = `import asyncio
task = asyncio.create_task(call_mcp_tool("a__b"))
rounds = 0
while not task.done():
    rounds += 1
    await asyncio.sleep(0)
result = rounds > 0`;
    expect(await runPython(sandbox, code)).toMatchObject({ value: true });
  });

  it('requests few alarms from the host for many timed waits', async () => {
    const code = `import asyncio
async def many():
    for _ in range(200):
        await call_mcp_tool("a__b")
await asyncio.wait_for(many(), 50)
result = "done"`;
    const { value, requests } = await runPython(sandbox, code);
    expect(value).toBe('done');
    expect(requests.filter((request) => request.includes('"sleep"')).length).toBeLessThan(10);
  });
});

describe('consecutive programs', () => {
  it('have the same random numbers for the same seed, and the same hashes of texts', async () => {
    const code =
      'import os, random, uuid\nresult = [random.random(), os.urandom(8).hex(), str(uuid.uuid4()), hash("text")]';
    const [first, second, other] = await Promise.all([7, 7, 8].map((seed) => runPython(sandbox, code, { seed })));
    expect(first?.value).toEqual(second?.value);
    expect(first?.value).not.toEqual(other?.value);
  });

  it('start from the same snapshot', async () => {
    await runPython(sandbox, 'import builtins, json\nbuiltins.left = json.left = 1\nopen("/tmp/left", "w").write("x")');
    const code =
      'import builtins, json, os\nresult = [hasattr(builtins, "left"), hasattr(json, "left"), os.listdir("/tmp")]';
    expect(await runPython(sandbox, code)).toMatchObject({ value: [false, false, []] });
  });

  it('run after their guests were killed', async () => {
    // Again and again: on a busy machine, the guest may start late.
    const killing = setInterval(killPyodideGuests, 1_000);
    try {
      await expect(runPython(sandbox, 'while True: pass')).rejects.toMatchObject({ code: 'SANDBOX_LOST' });
    } finally {
      clearInterval(killing);
    }
    // The spare guest was killed as well, and its end is known a moment later.
    const next = () => runPython(sandbox, 'result = 1').catch(({ code }) => code);
    await expect.poll(next, { timeout: 60_000 }).toMatchObject({ value: 1 });
  });
});
