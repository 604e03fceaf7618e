import { expect, it } from 'vitest';
import { MAX_PROCESSES } from '../../packages/sandbox/src/sandboxes/jail/arguments.ts';
import { hasCgroups } from '../../packages/sandbox/src/sandboxes/jail/cgroup/cgroup.ts';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { needs } from '../fixtures/needs.ts';
import { commandLines } from '../fixtures/processes.ts';
import { until } from '../fixtures/server.ts';
import { finish, firstOutput, needsJail, runNode, runPython, startNode, startPython } from './raw.ts';

const javascript = await probeJail('javascript');
const python = await probeJail('python');
const MIB = 1024 * 1024;
/** V8 ends its process by SIGABRT or SIGTRAP. */
const ABORTED: ReadonlySet<number | null> = new Set([134, 133]);
/** Milliseconds after which a program without progress is killed. */
const HANG_MS = 60_000;

needsJail(javascript).describe('limits of a jail for JavaScript', () => {
  it('limits typed arrays', async () => {
    const { output, end } = await runNode(
      `const kept = []; try { for (;;) { kept.push(new Uint8Array(1e6).fill(1)); if (kept.length % 10 === 0) print(kept.length) } } catch (error) { print(error.message) }`,
      64 * MIB,
    );
    const lines = output.split('\n');
    expect(end.outOfMemory || lines.at(-1) === 'Array buffer allocation failed').toBe(true);
    expect(lines.length).toBeLessThan(16);
  });

  it('ends a growing heap by the signal of V8', async () => {
    const { end } = await runNode(
      'const kept = []; for (;;) kept.push(new Array(1000).fill({}).map(() => ({})))',
      32 * MIB,
    );
    expect(end.code === 134 || end.code === 133 || end.outOfMemory).toBe(true);
  });

  it('limits threads', async () => {
    const carrier = await startNode(`
const { Worker } = require('worker_threads');
let started = 0;
const startNext = () => {
  print(started);
  if (started++ === 100) process.exit(0);
  new Worker('setInterval(() => {}, 1000)', { eval: true })
    .on('online', startNext).on('error', () => process.exit(0));
};
startNext();`);
    // Node may wait for ever for a thread that the limit has refused.
    const timer = setTimeout(() => carrier.kill(), HANG_MS);
    const { output, end } = await finish(carrier);
    clearTimeout(timer);
    const count = Number(output.split('\n').at(-1));
    // Since Node 24, each thread reserves 512 MiB for its code: the limit of data ends the process at the first one.
    expect(count > 0 || ABORTED.has(end.code)).toBe(true);
    expect(count).toBeLessThan(MAX_PROCESSES);
  });
});

needsJail(python).describe('limits of a jail for Python', () => {
  it('limits processes', async () => {
    const { output } = await runPython(`
import os, time
count = 0
try:
    while count < 1000:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError as error:
    print(count, error.errno)
os._exit(0)`);
    const [count, error] = output.split(' ').map(Number);
    expect(error).toBe(11);
    expect(count).toBeLessThanOrEqual(MAX_PROCESSES);
    expect(count).toBeGreaterThan(4);
  });

  it('limits the memory of a process, and the size and number of its files', async () => {
    const { output } = await runPython(`
import os
kept = []
try:
    while len(kept) < 1000: kept.append(bytearray(1_000_000))
except MemoryError:
    print("memory", len(kept) < 200)
kept = []
def fill(name, count):
    with open(name, "wb", buffering=0) as file:
        for _ in range(count): file.write(bytes(1_000_000))
try:
    for index in range(4): fill(f"/tmp/large{index}", 100)
except OSError as error: print("space", error.errno, index)
for index in range(4): os.unlink(f"/tmp/large{index}")
try:
    for index in range(30_000): open(f"/workspace/{index}", "w").close()
except OSError as error: print("files", error.errno, index < 24_000)
import resource
print("core", resource.getrlimit(resource.RLIMIT_CORE))
try:
    kept = [open("/proc/self/status") for _ in range(1000)]
except OSError as error: print("open", error.errno)`);
    expect(output.split('\n')).toEqual(['memory True', 'space 28 3', 'files 28 True', 'core (0, 0)', 'open 24']);
  });

  needs(
    'cgroups',
    hasCgroups() ? undefined : 'no control group may be made',
  ).it('limits the memory of all processes together', async () => {
    const { end } = await runPython(
      `
import os, time
for _ in range(8):
    if os.fork() == 0:
        kept = bytearray(100_000_000)
        kept[::4096] = b"1" * len(kept[::4096])
        time.sleep(2)
        os._exit(0)
while True: os.wait()`,
      64 * MIB,
    );
    expect(end.outOfMemory).toBe(true);
  });

  it('ends all processes of a program, in any case', async () => {
    const marker = `stubborn-${process.pid}-${Date.now()}`;
    const carrier = await startPython(`
import os, signal, time
marker = "${marker}"
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(3)
            while True: time.sleep(1)
        while True: pass
print("there")
while True: pass`);
    await firstOutput(carrier);
    await until(() => commandLines().filter((line) => line.includes(marker)).length > 5);
    const finished = finish(carrier);
    carrier.kill();
    await finished;
    expect(commandLines().filter((line) => line.includes(marker))).toEqual([]);
  });
});
