import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PythonRun, runPython } from '../../../../../test/fixtures/pyodide.ts';
import { shortForm } from '../../../../../test/fixtures/short-form.ts';
import { pyodideSandbox } from '../pyodide.ts';
import type { Sandbox } from '../sandbox.ts';

const MIB = 1024 * 1024;
const OVERHEAD = 128 * MIB;
/** The host looks every 50 ms, later on a busy machine. JavaScript's own heap, which it alone bounds, grows by this until then. */
const BETWEEN_TWO_LOOKS = 32 * MIB;

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await pyodideSandbox({ maxProcesses: 1, warmMemoryBytes: 32 * MIB });
}, 300_000);

afterAll(() => sandbox?.[Symbol.asyncDispose]());

/** Programs that take memory without an end. Each has `os` imported. */
const HOSTILE: Readonly<Record<string, string>> = {
  'a growing list': 'a = []\nwhile True: a.append([len(a)] * 10)',
  'growing texts': 'a = []\nwhile True: a.append("x" * 100_000 + str(len(a)))',
  'a text that doubles': 'a = "x" * 1_000\nwhile True: a += a',
  'arrays of bytes': 'a = []\nwhile True: a.append(bytearray(1_000_000))',
  'an array that grows in small steps': 'a = bytearray()\nwhile True: a += b"x" * 100_000',
  'large numbers': 'a = []\nwhile True: a.append(1 << 10_000_000 + len(a))',
  'exceptions with tracebacks': `kept = []
def fail(n):
    if n: fail(n - 1)
    else: raise ValueError("x" * 1_000)
while True:
    try: fail(200)
    except ValueError as error: kept.append(error)`,
  'an expression that backtracks':
    'import re\na = "a" * 100_000\nwhile True: a += a[:100_000]; re.match("(?:(a)|b)*c", a)',
  'deep recursion': 'import sys\nsys.setrecursionlimit(10**9)\ndef f(n, kept): return f(n + 1, [kept] * 100)\nf(0, [])',
  'deep recursion in a full memory': `import sys
sys.setrecursionlimit(10**9)
kept = []
try:
    while True: kept.append(bytearray(100_000))
except MemoryError: del kept[-10:]
x = []
for i in range(200_000): x = [x]
while True: repr(x)`,
  coroutines: `import asyncio
async def wait(): await asyncio.sleep(60)
async def many():
    kept = []
    while True: kept.append(asyncio.ensure_future(wait()))
await many()`,
  'one file': 'f = os.open("/tmp/f", os.O_RDWR | os.O_CREAT)\nwhile True: os.write(f, b"x" * 1_000_000)',
  'one file, in small steps': 'f = os.open("/tmp/f", os.O_RDWR | os.O_CREAT)\nwhile True: os.write(f, b"x" * 20_000)',
  'files of 100 kB': 'for n in range(10**9): open(f"/tmp/{n}", "wb").write(b"x" * 100_000)',
  'empty files': 'for n in range(10**9): os.close(os.open(f"/tmp/{n}", os.O_CREAT | os.O_WRONLY))',
  'files of one byte':
    'for n in range(10**9):\n    f = os.open(f"/tmp/{n}", os.O_CREAT | os.O_WRONLY)\n    os.write(f, b"x")\n    os.close(f)',
  'long names': 'for n in range(10**9): os.close(os.open("/tmp/" + str(n) + "n" * 200, os.O_CREAT | os.O_WRONLY))',
  'very long names': 'for n in range(10**9): os.mkdir("/tmp/" + str(n) + "n" * 100_000)',
  'longer names for one file': `names = ["/tmp/" + "n" * 2**n for n in range(40)]
open(names[0], "w").close()
for old, new in zip(names, names[1:]): os.rename(old, new)`,
  'deep folders': 'for n in range(10**9): os.makedirs(f"/tmp/{n}/" + "/".join(["d" * 200] * 15))',
  links: 'for n in range(10**9): os.symlink("t" * 3_000, f"/tmp/{n}")',
  'removed open files':
    'while True:\n    f = os.open("/tmp/f", os.O_RDWR | os.O_CREAT)\n    os.write(f, b"x" * 100_000)\n    os.unlink("/tmp/f")',
  'files that get shorter and longer': `f = os.open("/tmp/f", os.O_RDWR | os.O_CREAT)
for n in range(10**9): os.ftruncate(f, (n * 7_000_003) % 31_000_000 + n * 20_000)`,
  'files and then objects': `try:
    for n in range(10**9): open(f"/tmp/{n}", "wb").write(b"x" * 1_000_000)
except OSError: pass
a = []
while True: a.append(bytearray(100_000))`,
  'objects and then files': `a = []
try:
    while True: a.append(bytearray(1_000_000))
except MemoryError: pass
for n in range(10**9): open(f"/tmp/{n}", "wb").write(b"x" * 100_000)`,
  'output without lines': 'while True: os.write(1, b"x" * 100_000)',
  'many lists of one folder': `for n in range(10_000): os.symlink("t", f"/tmp/{n}")
a = []
while True:
    a.append(os.scandir("/tmp"))
    next(a[-1])`,
  'long paths': 'n = 1_000\nwhile True:\n    n *= 2\n    try: os.stat("/" * n)\n    except FileNotFoundError: pass',
};

/** Returns the peak of the resident memory of the guests with this limit. */
function peakOf(memoryBytes: number): number {
  const threads = readdirSync('/proc/self/task');
  const children = threads.flatMap((id) => read(`/proc/self/task/${id}/children`).split(' ').filter(Boolean));
  const guests = children.filter((pid) => read(`/proc/${pid}/cmdline`).includes(`\0run\0${memoryBytes}\0`));
  const peaks = guests.map((pid) => Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0));
  return Math.max(0, ...peaks) * 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

async function runAndWatch(code: string, memoryBytes: number): Promise<PythonRun & { readonly peak: number }> {
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(memoryBytes));
  }, 10);
  try {
    const run = await runPython(sandbox, `import os\n${code}`, { memoryBytes, timeoutMs: 120_000 });
    return { ...run, peak };
  } finally {
    clearInterval(watch);
  }
}

describe.runIf(process.platform === 'linux')('a process stays within its limit and 128 MiB', () => {
  const cases = Object.entries(HOSTILE).flatMap(([name, code]) =>
    [32, 64, 128].map((limit) => ({ name, code, limit })),
  );
  // Another limit for each program: the number of limits and the step have no common divisor.
  it.each(shortForm(cases, 13))('with $limit MiB and $name', { timeout: 180_000 }, async ({ code, limit }) => {
    const { peak, ...end } = await runAndWatch(code, limit * MIB);
    expect(end.stopped ?? end.error).toMatch(/^memory$|^(MemoryError|OSError|RecursionError): /);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(limit * MIB + OVERHEAD + BETWEEN_TWO_LOOKS);
  });
});

it.each(shortForm([64, 16, 256]))(
  'a program may use its limit of %i MiB, less 8 MiB, also while its code is compiled',
  async (limit) => {
    const code = `size = ${limit - 8} * 2**20
kept = bytearray(size)
for at in range(0, size, 4096): kept[at] = 1
import json, re
total = 0
for n in range(1_000_000): total += len(re.sub("a", "b", str(n))) if n % 100 == 0 else n
for n in range(1_000): json.loads(json.dumps(list(range(100))))
result = len(kept)`;
    const bytes = (limit - 8) * MIB;
    expect(await runPython(sandbox, code, { memoryBytes: limit * MIB })).toMatchObject({ value: bytes });
  },
);

describe('files in memory', () => {
  it('have the contents that were written, however they grew and shrank', async () => {
    const code = `import mmap, os, random
model, path = bytearray(), "/tmp/f"
f = os.open(path, os.O_RDWR | os.O_CREAT)
for step in range(400):
    size = random.choice([1, 100, 5_000, 300_000, 1_200_000])
    at = random.randrange(0, len(model) + 200_000)
    if step % 7 == 3:
        at = random.randrange(0, len(model) + 1) if step % 2 else at
        os.ftruncate(f, at)
        model = model[:at] if at <= len(model) else model + bytes(at - len(model))
    else:
        data = random.randbytes(size)
        if at > len(model): model += bytes(at - len(model))
        os.pwrite(f, data, at)
        model[at:at + len(data)] = data
    if len(model) > 6_000_000:
        os.ftruncate(f, 1_000)
        del model[1_000:]
    assert os.fstat(f).st_size == len(model), step
    if step % 20 == 0: assert open(path, "rb").read() == model, step
with open(path, "rb+") as file, mmap.mmap(file.fileno(), 0) as mapped: assert mapped[:] == model
open(path, "w").close()
os.truncate(path, 500_000)
assert open(path, "rb").read() == bytes(500_000)
result = "equal"`;
    expect(await runPython(sandbox, code, { memoryBytes: 64 * MIB })).toMatchObject({ value: 'equal' });
  });

  it('leave their place when they are removed or shortened', async () => {
    const code = `import os
for n in range(30):
    with open("/tmp/f", "wb") as file: file.write(b"x" * 8_000_000)
    os.remove("/tmp/f")
    with open("/tmp/g", "wb") as file:
        for part in range(100): file.write(b"x" * 80_000)
        file.truncate(10)
for n in range(100_000):
    f = os.open("/tmp/h", os.O_CREAT)
    os.close(f)
    os.remove("/tmp/h")
open("/tmp/f", "wb").write(b"x" * 16_000_000)
result = len(bytearray(8_000_000))`;
    expect(await runPython(sandbox, code, { memoryBytes: 32 * MIB })).toMatchObject({ value: 8_000_000 });
  });

  it('and the objects of the program share one limit', async () => {
    const code = 'open("/tmp/f", "wb").write(b"x" * 16_000_000)\nresult = len(bytearray(24_000_000))';
    expect(await runPython(sandbox, code, { memoryBytes: 32 * MIB })).toMatchObject({ stopped: 'memory' });
    expect(await runPython(sandbox, code, { memoryBytes: 64 * MIB })).toMatchObject({ value: 24_000_000 });
  });
});
