import { readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readJournal } from '../../packages/core/src/journal/file.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { createTasks } from '../../packages/server/src/agent/tasks.ts';
import { indexCache } from '../../packages/server/src/mcp/instructions/cache.ts';
import { scriptedModel } from '../../packages/server/src/models/scripted.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { ask, type HttpServer, startApi } from '../fixtures/http-server.ts';

const DAMAGES: readonly (readonly [string, (file: string) => void])[] = [
  ['emptied', (file) => emptyLongAgo(file)],
  ['overwritten', (file) => writeFileSync(file, Buffer.alloc(500, 7))],
  ['changed in its first line', (file) => changeLine(file)],
];
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Starts a server with sessions, tasks and skills on disk. */
async function start() {
  const dataDir = temporaryFolder();
  const lines: string[] = [];
  const log = (fields: unknown, message?: string) => void lines.push(JSON.stringify([fields, message]));
  const logger = { debug: log, info: log, warn: log, error: log } as never;
  const tool = { run: async () => ({ name: 'x' }) };
  const options = { dataDir, logger, tools: { desk: { tools: { look: tool } } } };
  const toolwright = await createToolwright({ ...options, sandbox: 'quickjs' });
  const models = async () => scriptedModel([{ text: 'done' }]);
  const tasks = await createTasks({ toolwright, dataDir, models, logger });
  const server: HttpServer = await startApi({ tasks, toolwright, logger }, { dataDir: temporaryFolder() });
  closers.push(async () => {
    await server.close();
    await tasks[Symbol.asyncDispose]();
    await toolwright.close();
  });
  const api = (path: string, json?: object) => ask(`${server.url}/${path}`, json === undefined ? {} : { json });
  /** Checks that a file is renamed, logged and listed, without a path of this machine. */
  const expectQuarantined = async (kind: string, folder: string, file: string) => {
    const names = readdirSync(join(dataDir, folder)).filter((name) => name.startsWith(`${file}.damaged-`));
    expect(names).toHaveLength(1);
    expect(lines.filter((line) => line.includes(`a ${kind} is damaged`) && line.includes(names[0] ?? ''))).toHaveLength(
      1,
    );
    const { status, body } = await api('ready');
    const shown = join(folder, file).replace(/users\/[^/]+/, 'users/…');
    expect([status, body.damaged]).toEqual([200, [expect.objectContaining({ kind, file: shown })]]);
    expect(JSON.stringify(body)).not.toContain(dataDir);
  };
  return { dataDir, toolwright, tasks, api, expectQuarantined };
}

test.each([...DAMAGES, ['changed in a file', (file: string) => changeEnd(file)] as const])(
  'a skill version that was %s is quarantined; other versions are served, and its number is not used again',
  async (_what, damage) => {
    const { dataDir, toolwright, expectQuarantined } = await start();
    const library = toolwright.skills();
    for (const description of ['first', 'second']) await library.save({ name: 'a', description });
    damage(join(dataDir, 'users/local/skill-versions/a/2.json'));
    expect((await library.load('a', { version: 1 })).description).toBe('first');
    await expect(library.load('a', { version: 2 })).rejects.toMatchObject({ code: 'UNKNOWN_SKILL' });
    expect((await library.save({ name: 'a', description: 'third' })).version).toBe(4);
    // The content of the damaged version was still in the folder of the skill.
    expect((await library.load('a', { version: 3 })).description).toBe('second');
    await expectQuarantined('skill version', 'users/local/skill-versions/a', '2.json');
  },
);

test.each(DAMAGES)('a journal that was %s is quarantined', async (_what, damage) => {
  const { dataDir, toolwright, expectQuarantined } = await start();
  const { executionId } = await toolwright.execute('return 1');
  const folder = join(dataDir, 'executions');
  expect(await readJournal(folder, executionId)).toMatchObject({ status: 'completed' });
  damage(join(folder, `${executionId}.jsonl`));
  expect(await readJournal(folder, executionId)).toBeUndefined();
  await expectQuarantined('journal', 'executions', `${executionId}.jsonl`);
});

test('an index cache that was changed is quarantined, and made again', async () => {
  const { dataDir, expectQuarantined } = await start();
  const cache = indexCache(dataDir, 'configuration');
  await cache.write('the index');
  expect(await cache.read()).toBe('the index');
  const [file = ''] = readdirSync(join(dataDir, 'indexes'));
  changeEnd(join(dataDir, 'indexes', file));
  expect(await cache.read()).toBeUndefined();
  await cache.write('the index');
  expect(await cache.read()).toBe('the index');
  await expectQuarantined('index cache', 'indexes', file);
});

/** Empties a file. A file that was created a moment ago may be empty, until its process has written the first line. */
function emptyLongAgo(file: string): void {
  truncateSync(file, 0);
  utimesSync(file, 0, 0);
}

/** Makes the first line invalid, and leaves the others. */
function changeLine(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('{', '{{'));
}

/** Changes one character of the second half, which stays valid text. */
function changeEnd(file: string): void {
  const text = readFileSync(file, 'utf8');
  const at = Math.floor(text.length * 0.8);
  writeFileSync(file, text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1));
}
