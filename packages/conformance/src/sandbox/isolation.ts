import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JournalEntry } from '@toolwright/core/internal';
import type { LanguageName } from '@toolwright/sandbox';
import { completesWith, dataOf, errorOf, limitOf, matches, type SandboxCase } from './case.ts';

type Probe = Readonly<Record<LanguageName, string>>;

const STATE_PROBE: Probe = {
  typescript: `await sleep(60);
console.log('heard');
const { state } = await import('/workspace/state.js');
const leaked = [globalThis.leaked, {}.leaked, [].leaked, Promise.resolve().leaked, fs.leaked].find((value) => value !== undefined);
return [leaked ?? 'clean', ' a '.trim() === 'a' ? 'clean' : 'trim', JSON.stringify([1]) === '[1]' ? 'clean' : 'JSON', Math.random() === 0.5, Date.now() > 1e12, state.count];`,
  python: `import builtins, json, os, random, sys, time
await sleep(0.06)
print('heard')
from state import state
leaked = [where for where in (builtins, sys) if hasattr(where, 'leaked')]
[leaked and 'leaked' or 'clean', os.environ.get('LEAKED', 'clean'), 'clean' if json.dumps([1]) == '[1]' else 'json', random.random() == 0.5, time.time() > 1e9, state['count']]`,
};
const EXISTS_PROBE: Probe = {
  typescript: "return fs.exists('/workspace/state.js')",
  python: 'import os\nreturn os.path.exists("/workspace/state.py")',
};
const SLOW_CALL: Probe = {
  typescript: 'await callMCPTool("tools__slow", { ms: 5_000 })',
  python: 'await call_mcp_tool("tools__slow", {"ms": 5_000})',
};
const RANDOM_PROBE: Probe = {
  typescript:
    'return [Math.random(), Math.random(), crypto.randomUUID(), Math.abs(Date.now() - 1_700_000_000_000) < 5_000]',
  python: `import datetime, os, random, secrets, time, uuid
now = 1_700_000_000
times = [time.time(), datetime.datetime.now().timestamp(), time.mktime(time.localtime())]
[random.random(), secrets.token_hex(4), os.urandom(2).hex(), uuid.uuid4(), all(abs(when - now) < 5 for when in times)]`,
};
const ENDLESS: Readonly<Record<LanguageName, readonly string[]>> = {
  typescript: ['for (;;) {}', 'await sleep(9_000)', 'await new Promise((resolve) => setTimeout(resolve, 9_000))'],
  python: [
    'while True: pass',
    'await sleep(9)',
    'import asyncio\nawait asyncio.sleep(9)',
    'import time\ntime.sleep(9)',
  ],
};
const own = (index: number): Probe => ({
  typescript: `console.log('log ${index}');
await fs.writeFile('mine.txt', '${index}');
const back = await callMCPTool('tools__echo', { value: ${index} });
await sleep(${(index % 4) * 10});
progress(${index});
return [back, await fs.readFile('mine.txt', 'utf8'), await callMCPTool('tools__echo', { value: 'v${index}' })];`,
  python: `print('log ${index}')
write_file('mine.txt', '${index}')
back = await call_mcp_tool('tools__echo', {'value': ${index}})
await sleep(${(index % 4) / 100})
progress(${index})
[back, read_file('mine.txt'), await call_mcp_tool('tools__echo', {'value': 'v${index}'})]`,
});

/** Returns whether an entry is not only for replays. */
function isOfCaller({ entry }: JournalEntry): boolean {
  return !['clock', 'reply', 'unanswered'].includes(entry);
}

/** Isolation between programs, and the ends of programs. */
export const ISOLATION_CASES: readonly SandboxCase[] = [
  {
    area: 'isolation',
    name: 'no state passes to the next program, only files of the session',
    programs: {
      typescript: `globalThis.leaked = 1;
Object.prototype.leaked = 2; Array.prototype.leaked = 3; Promise.prototype.leaked = 4; String.prototype.trim = () => 'leaked';
console.log = () => {}; Math.random = () => 0.5; Date.now = () => 0; try { fs.leaked = 5 } catch {}
await fs.writeFile('state.js', 'export const state = { count: 0 }');
(await import('/workspace/state.js')).state.count = 7;
setTimeout(() => { globalThis.leaked = 8 }, 20); setInterval(() => callMCPTool('tools__counter'), 5);
return 1;`,
      python: `import builtins, json, os, random, sys, threading, time
builtins.leaked = sys.leaked = 1
json.dumps = len
random.random = lambda: 0.5
time.time = lambda: 0
sys.stdout.write = lambda text: 0
os.environ["LEAKED"] = "1"
with open("state.py", "w") as file:
    file.write("state = {'count': 0}")
import state
state.state["count"] = 7
def late():
    time.sleep(0.02)
    _ = call_mcp_tool("tools__counter")
threading.Thread(target=late, daemon=True).start()
return 1`,
    },
    async check({ execute, language }) {
      const next = await execute(STATE_PROBE[language]);
      assert.deepEqual(dataOf(next.result), ['clean', 'clean', 'clean', false, true, 0]);
      assert.equal(next.result.logs.length, 1);
      assert.deepEqual(next.result.calls, []);
      const stranger = await execute(EXISTS_PROBE[language], {
        sessionId: 'stranger',
        tenant: 'stranger',
      });
      assert.equal(dataOf(stranger.result), false);
    },
  },
  completesWith(
    'isolation',
    'the program cannot see the host',
    `return ['process', 'require', 'module', 'fetch', 'WebSocket', 'XMLHttpRequest', 'Deno', 'Bun', 'std', 'os', 'scriptArgs', '__dirname', 'importScripts']
  .filter((name) => name in globalThis);`,
    [],
  ),
  {
    area: 'isolation',
    name: 'calls that the program does not await are recorded as unanswered, and none is sent after the end',
    programs: {
      typescript: `void callMCPTool('tools__stubborn', { ms: 2000 });
await sleep(20);
for (let i = 0; i < 20; i++) void callMCPTool('tools__stubborn', { ms: 2000 });
return 'done';`,
      python: `_ = call_mcp_tool("tools__stubborn", {"ms": 2000})
await sleep(0.02)
for i in range(20):
    _ = call_mcp_tool("tools__stubborn", {"ms": 2000})
return "done"`,
    },
    limits: { parallelCalls: 4 },
    async check({ result, received, journal }) {
      assert.equal(dataOf(result), 'done');
      assert.ok(result.calls.length >= 1 && result.calls.every(({ status }) => status === 'unanswered'));
      const before = received.length;
      // Longer than the running calls take: queued calls would be sent by then.
      await sleep(2_400);
      assert.equal(received.length, before);
      assert.deepEqual(
        received.filter(({ late }) => late),
        [],
      );
      const entries = journal(result.executionId);
      assert.equal(entries.at(-1)?.entry, 'end');
      assert.deepEqual(
        entries.filter(({ entry }) => entry === 'answer'),
        [],
      );
    },
  },
  {
    area: 'isolation',
    name: 'the journal contains each call before its answer',
    programs: {
      typescript:
        'await callMCPTool("tools__add", { a: 1, b: 2 }); await callMCPTool("tools__fail", {}).catch(() => 0); return 1',
      python: `await call_mcp_tool("tools__add", {"a": 1, "b": 2})
try:
    await call_mcp_tool("tools__fail", {})
except ToolError:
    pass
return 1`,
    },
    check({ result, journal }) {
      const entries = journal(result.executionId);
      assert.deepEqual(
        entries.filter(isOfCaller).map((entry) => ('number' in entry ? `${entry.entry} ${entry.number}` : entry.entry)),
        ['start', 'call 1', 'answer 1', 'call 2', 'answer 2', 'result', 'end'],
      );
    },
  },
  {
    area: 'isolation',
    name: 'the journal contains a call while the tool still works',
    programs: { typescript: 'return 1', python: 'return 1' },
    async check({ execute, language, journal, received }) {
      const stop = new AbortController();
      const running = execute(SLOW_CALL[language], { signal: stop.signal });
      for (let waited = 0; received.length === 0 && waited < 60_000; waited += 10) await sleep(10);
      stop.abort();
      const { result } = await running;
      assert.equal(limitOf(result), 'cancelled');
      assert.deepEqual(
        journal(result.executionId)
          .filter(isOfCaller)
          .map(({ entry }) => entry),
        ['start', 'call', 'result', 'end'],
      );
    },
  },
  {
    area: 'isolation',
    name: 'a signal cancels a computing program, and a waiting one',
    programs: { typescript: 'return 1', python: 'return 1' },
    async check({ execute, language }) {
      for (const source of ENDLESS[language]) {
        const stop = new AbortController();
        setTimeout(() => stop.abort(), 150);
        const { result, elapsedMs } = await execute(source, { signal: stop.signal });
        assert.equal(limitOf(result), 'cancelled');
        assert.ok(elapsedMs < 8_000, `${elapsedMs} ms`);
      }
      const aborted = await execute('return 1', { signal: AbortSignal.abort() });
      assert.equal(limitOf(aborted.result), 'cancelled');
      assert.equal(dataOf((await execute('return 1')).result), 1);
    },
  },
  {
    area: 'isolation',
    name: 'a killed guest is an error of the host, and the next program works',
    programs: { typescript: 'return 1', python: 'return 1' },
    needsKill: true,
    async check({ execute, kill, language, received }) {
      const running = execute(SLOW_CALL[language]);
      for (let waited = 0; received.length === 0 && waited < 20_000; waited += 10) await sleep(10);
      kill();
      const { result } = await running;
      matches(errorOf(result), { code: 'SANDBOX_LOST', kind: 'internal' });
      // The host needs time to notice idle guests that died too.
      await sleep(200);
      assert.equal(dataOf((await execute('return 1')).result), 1);
    },
  },
  {
    area: 'isolation',
    name: 'the same seed gives the same random numbers and ids, another seed gives others',
    programs: { typescript: 'return 1', python: 'return 1' },
    async check({ runAlone, language }) {
      const probe = async (seed: number) => {
        const outcome = await runAlone(RANDOM_PROBE[language], { seed });
        return outcome.status === 'completed' ? outcome.value : undefined;
      };
      const first = await probe(42);
      assert.equal(await probe(42), first);
      assert.notEqual(await probe(43), first);
      assert.match(first ?? '', /true\]$/);
    },
  },
  {
    area: 'isolation',
    name: 'twelve programs at once do not mix their values, files or logs',
    programs: { typescript: 'return 1', python: 'return 1' },
    async check({ execute, language }) {
      const runs = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const source = own(index)[language];
          return execute(source, { sessionId: `session-${index}`, tenant: `tenant-${index % 3}` });
        }),
      );
      for (const [index, { result, progress }] of runs.entries()) {
        assert.deepEqual(dataOf(result), [index, String(index), `v${index}`]);
        assert.deepEqual([result.logs.map(({ text }) => text), progress], [[`log ${index}`], [index]]);
      }
    },
  },
];
