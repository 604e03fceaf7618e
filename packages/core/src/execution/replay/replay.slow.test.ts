import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { missingSandbox, needs } from '../../../../../test/fixtures/needs.ts';
import { failureOf } from '../../../../../test/fixtures/server.ts';
import {
  jailSandbox,
  pyodideSandbox,
  pythonLanguage,
  quickjsSandbox,
  typescriptLanguage,
} from '../../../../sandbox/src/index.ts';
import { probeJail } from '../../../../sandbox/src/sandboxes/jail.ts';
import { dataFolder } from '../../../../storage/src/data-folder/data-folder.ts';
import { journalKey } from '../../../../storage/src/data-folder/integrity.ts';
import { checkLimits } from '../../config/sections/limits.ts';
import { readRecording } from '../../journal/recording/read-recording.ts';
import { fileReader } from '../../journal/storages/file.ts';
import { createToolwright } from '../../toolwright.ts';
import { type ReplayOptions, replayExecution } from './replay.ts';

const engines = {
  typescript: { language: typescriptLanguage(), sandbox: quickjsSandbox() },
  python: { language: pythonLanguage(), sandbox: await pyodideSandbox() },
};
afterAll(() => Promise.all(Object.values(engines).map(({ sandbox }) => sandbox[Symbol.asyncDispose]())));

const probe = await probeJail();

type Name = keyof typeof engines;

/** Runs a program whose tool answers after a random time, and returns its recording. */
async function record(source: string, language: Name = 'typescript') {
  const dataDir = temporaryFolder();
  const look = async (args: object) => {
    await sleep(Math.random() * 10);
    return { ...args, dice: Math.random() };
  };
  await using toolwright = await createToolwright({
    dataDir,
    store: 'memory',
    tools: { t: { tools: { look: { run: look } } } },
    sandbox: engines[language].sandbox.name,
    limits: { timeoutMs: 20_000 },
    pii: { mode: 'off' },
  });
  const result = await toolwright.execute(source, { language, check: false });
  const { executions, journalKey: keyFile } = dataFolder(dataDir);
  const id = result.executionId;
  const path = join(executions, `${id}.jsonl`);
  const key = journalKey(keyFile);
  return { result, id, path, key, read: () => readRecording(fileReader(executions), id, key) };
}

async function replay(
  { read, key }: Awaited<ReturnType<typeof record>>,
  source?: string,
  more: Partial<ReplayOptions> = {},
) {
  const recording = await read();
  const changed = { ...recording, start: { ...recording.start, source: source ?? recording.start.source } };
  const engine = engines[recording.start.language as Name];
  return replayExecution(changed, { ...engine, key, limits: checkLimits({}), ...more });
}

const PARALLEL = {
  typescript: `const order = [];
await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(async (n) => { const { dice } = await callMCPTool('t__look', { n, r: Math.random() }); order.push([n, dice, Date.now()]); }));
const winner = await Promise.race([callMCPTool('t__look', { a: 1 }), callMCPTool('t__look', { a: 2 })]);
await Promise.all([fs.writeFile('a.txt', 'x'.repeat(5000)), sleep(3), search_tools('look')]);
const texts = []; for (let n = 0; n < 3; n++) texts.push((await fs.readFile('a.txt')).length);
const end = Date.now() + 5; let spins = 0; while (Date.now() < end) spins++;
console.log(performance.now(), spins, crypto.randomUUID(), new Date().toISOString());
return { order, winner, texts, spins };`,
  python: `import asyncio, datetime, random, time, uuid
order = []
async def one(n):
    answer = await call_mcp_tool('t__look', {'n': n, 'r': random.random()})
    order.append([n, answer['dice'], time.time()])
async def main():
    await asyncio.gather(*(one(n) for n in range(8)))
    try:
        await asyncio.wait_for(asyncio.Event().wait(), 0.01)
    except asyncio.TimeoutError:
        order.append('timeout')
    done, pending = await asyncio.wait([asyncio.ensure_future(one(20)), asyncio.ensure_future(asyncio.sleep(0.004))], return_when=asyncio.FIRST_COMPLETED)
    order.append(len(done))
    time.sleep(0.002)
    with open('a.txt', 'w') as file:
        file.write('x' * 5000)
    end = time.monotonic() + 0.005
    spins = 0
    while time.monotonic() < end:
        spins += 1
    print(time.perf_counter(), spins, uuid.uuid4(), uuid.uuid1(), random.Random().random(), list({'a', 'b', 'c'}))
    return [order, spins, datetime.datetime.now().isoformat(), str(datetime.date.today())]
result = await main()`,
};

describe.each<Name>(['typescript', 'python'])('%s', (language) => {
  it('a replay makes the same requests in the recorded order, and has the same logs and result', async () => {
    for (let round = 0; round < 3; round++) {
      const recorded = await record(PARALLEL[language], language);
      expect(recorded.result).toMatchObject({ status: 'completed' });
      expect(await replay(recorded)).toEqual({ status: 'identical', requests: expect.any(Number) });
    }
  });
});

it('replays values with the line separators of Unicode, which are no ends of lines in a journal', async () => {
  const recorded = await record("return (await callMCPTool('t__look', { text: 'a\\u2028b\\u2029c' })).text");
  expect(recorded.result).toMatchObject({ status: 'completed', value: 'a\u2028b\u2029c' });
  expect(await replay(recorded)).toMatchObject({ status: 'identical' });
});

describe('the first difference', () => {
  const SOURCE = "const a = await callMCPTool('t__look', { n: 1 });\nawait fs.readdir('/workspace');\nreturn a.n";

  it.each([
    ['arguments', SOURCE.replace('n: 1', 'n: 2'), 1, 1, '["call","t__look",{"n":1}]', '["call","t__look",{"n":2}]'],
    ['another operation', SOURCE.replace('readdir', 'stat'), 2, 2, '["fs.list","/workspace",false]', /^\["fs.stat"/],
    [
      'a further request',
      SOURCE.replace('return', 'await sleep(1); return'),
      3,
      3,
      'no further request',
      '["sleep",1]',
    ],
    ['an earlier end', 'return 1', 1, undefined, '["call","t__look",{"n":1}]', 'the end'],
    ['the result', SOURCE.replace('a.n', 'a.n + 1'), undefined, undefined, 'the recorded result and logs', 'completed'],
    [
      'an error',
      SOURCE.replace('return', 'throw new Error(); return'),
      undefined,
      3,
      'the recorded result and logs',
      /^it failed/,
    ],
    [
      'a log line',
      SOURCE.replace('return', 'console.log(1); return'),
      undefined,
      undefined,
      'the recorded result and logs',
      'completed',
    ],
  ])('is reported with its line: %s', async (_name, source, request, line, expected, actual) => {
    const recorded = await record(SOURCE);
    const found = await replay(recorded, source);
    expect(found).toMatchObject({ status: 'different', difference: { expected } });
    if (found.status !== 'different') return;
    expect([found.difference.request, found.difference.line]).toEqual([request, line]);
    if (typeof actual === 'string') expect(found.difference.actual).toBe(actual);
    else expect(found.difference.actual).toMatch(actual);
  });

  const HIDDEN = {
    typescript: `const one = async (n) => {
  try { return await callMCPTool('t__look', { n }); }
  catch { return fs.writeFile('caught', 'x'); }
};
await Promise.all([1, 2, 3].map(one));
return 1;`,
    python: `import asyncio
async def one(n):
    try:
        return await call_mcp_tool('t__look', {'n': n})
    except BaseException:
        write_file('caught', 'x')
await asyncio.gather(*map(one, [1, 2, 3]))
return 1`,
  };
  it.each([
    ['typescript', 2],
    ['python', 4],
  ] as const)('is the line of the request, also where the program catches errors: %s', async (language, line) => {
    const source = HIDDEN[language];
    const recorded = await record(source, language);
    const found = await replay(recorded, source.replace('1, 2, 3', '1, 9, 3'));
    const expected = '["call","t__look",{"n":2}]';
    expect(found).toMatchObject({ status: 'different', difference: { request: 2, line, expected } });
    expect(await replay(recorded)).toMatchObject({ status: 'identical' });
  });

  needs('jail', missingSandbox(probe)).it('has the same line in another sandbox', async () => {
    await using jail = await jailSandbox();
    for (const [language, line] of [
      ['typescript', 2],
      ['python', 4],
    ] as const) {
      const recorded = await record(HIDDEN[language], language);
      const found = await replay(recorded, HIDDEN[language].replace('1, 2, 3', '1, 9, 3'), { sandbox: jail });
      expect(found).toMatchObject({ status: 'different', difference: { request: 2, line } });
    }
  });

  it('is reported for a blocking request of Python, with the column', async () => {
    const source = "write_file('a', 'b')\nx = read_file('a')\nresult = x";
    const recorded = await record(source, 'python');
    const found = await replay(recorded, source.replace("read_file('a')", "[read_file(n) for n in 'b']"));
    // The folder is as it was recorded: there is no such file.
    const actual = "it failed: FileNotFoundError: ENOENT: No such file or directory: 'b'";
    expect(found).toMatchObject({ difference: { line: 2, column: 6, actual } });
  });

  it('is reported for a request that the program does not await', async () => {
    const recorded = await record("await callMCPTool('t__look', { n: 1 }); return 1");
    const found = await replay(
      recorded,
      "\nvoid callMCPTool('t__look', { n: 2 }); await new Promise(() => undefined);",
    );
    expect(found).toMatchObject({ status: 'different', difference: { request: 1, line: 2 } });
  });
});

describe('a journal', () => {
  const SOURCE = "await callMCPTool('t__look', { n: 1 });\nreturn (await callMCPTool('t__look', { n: 2 })).n";

  it('that a crash has cut off at any byte is replayed as far as it goes', async () => {
    const recorded = await record(SOURCE);
    const whole = readFileSync(recorded.path);
    const [firstLine = ''] = whole.toString().split('\n');
    for (let length = firstLine.length + 1; length < whole.length; length += 211) {
      writeFileSync(recorded.path, whole.subarray(0, length));
      expect(await replay(recorded)).toMatchObject({ status: 'identical' });
    }
  });

  it('that was changed, reordered or belongs elsewhere is refused with its line', async () => {
    const recorded = await record(SOURCE);
    const lines = readFileSync(recorded.path, 'utf8').split('\n');
    const refused = async (text: string) => {
      writeFileSync(recorded.path, text);
      const { code, message } = await failureOf(recorded.read());
      expect(code).toBe('JOURNAL_DAMAGED');
      return message;
    };
    const changed = lines.map((line) => line.replace('"n":2', '"n":3'));
    const at = changed.findIndex((line, index) => line !== lines[index]);
    expect(await refused(changed.join('\n'))).toContain(`its line ${at + 1} was changed`);
    expect(await refused(lines.toSpliced(1, 1).join('\n'))).toContain('its line 2 was changed');
    const other = await record(SOURCE);
    expect(await refused(readFileSync(other.path, 'utf8'))).toContain('another execution or data folder');
  });

  it('of an older version is refused with what to do', async () => {
    const { path, read } = await record('return 1');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"format":2,', ''));
    const { code, message } = await failureOf(read());
    expect([code, message]).toEqual(['NOT_SUPPORTED', expect.stringContaining('has format 1')]);
  });

  it('has each large content once', async () => {
    const { path, result } = await record(
      "await fs.writeFile('a', 'x'.repeat(20000)); for (let n = 0; n < 50; n++) await fs.readFile('a'); return 1",
    );
    expect(result.status).toBe('completed');
    expect(readFileSync(path).length).toBeLessThan(40_000);
  });
});

it('the key of the journals is one file that only its owner reads', async () => {
  const { path } = await record('return 1');
  expect(readdirSync(join(path, '../..'))).toContain('journal.key');
});
