import { EventEmitter, once } from 'node:events';
import { quickjsSandbox, type Sandbox, SandboxError } from '@toolwright/sandbox';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { createToolwright } from '../../toolwright.ts';

const PEOPLE = [{ id: 1, full_name: 'Ann Smith', email: 'ann@x.com', phone: '+44 20 7946 0958' }];
/** Its syntax does not prove that it reads no text, and the host computes nothing in it. */
const PASSES_ON = `const people = await callMCPTool('crm__list', {});
for (const [, p] of Object.entries(people)) await callMCPTool('crm__send', { to: p.email });`;
const COMPUTES = `const people = await callMCPTool('crm__list', {});
await callMCPTool('crm__send', { to: people[0].email.toUpperCase() });`;

let sent: unknown[] = [];
beforeEach(() => {
  sent = [];
});

type Run = Sandbox['run'];

/** Opens a Toolwright with one sandbox, whose second runs before a call go through `nested`. */
async function open(nested: (run: Run, ...args: Parameters<Run>) => ReturnType<Run>, rows: unknown = PEOPLE) {
  const quickjs = quickjsSandbox({ maxProcesses: 1 });
  return createToolwright({
    dataDir: temporaryFolder(),
    sandbox: {
      ...quickjs,
      run: (...args) => (args[1].isNested ? nested(quickjs.run, ...args) : quickjs.run(...args)),
      [Symbol.asyncDispose]: () => quickjs[Symbol.asyncDispose](),
    },
    tools: {
      crm: {
        tools: {
          list: { run: () => rows, annotations: { readOnlyHint: true } },
          send: { run: (message: unknown) => sent.push(message) },
        },
      },
    },
  });
}

test.each([PASSES_ON, COMPUTES])('a call waits for its comparison, with the one sandbox in use: %s', async (source) => {
  const steps = new EventEmitter();
  const [held, released] = [once(steps, 'held'), once(steps, 'released')];
  await using toolwright = await open(async (run, program, options) => {
    steps.emit('held', options);
    await released;
    return run(program, options);
  });
  const executing = toolwright.execute(source, { limits: { timeoutMs: 123_000 } });
  const { limits, signal } = (await held)[0];
  expect(limits.timeoutMs).toBe(123_000);
  expect([sent, signal?.aborted]).toEqual([[], false]);
  steps.emit('released');
  expect(await executing).toMatchObject({ status: 'completed' });
  expect(sent).toHaveLength(1);
});

test.each([
  ['has no end', async () => ({ status: 'stopped', limit: 'timeout' }) as const, 'raise limits.timeoutMs'],
  ['fails', () => Promise.reject(new SandboxError('BUSY', 'All sandboxes are busy.')), 'All sandboxes are busy.'],
])('a call is not sent if its comparison %s', async (_, nested, reason) => {
  await using toolwright = await open(nested);
  for (const source of [PASSES_ON, COMPUTES]) {
    expect(await toolwright.execute(source)).toMatchObject({
      status: 'failed',
      error: { code: 'PII_DENIED', message: expect.stringContaining(reason) },
    });
  }
  expect(sent).toEqual([]);
});

test('a call is not sent if the program received too much to be compared', async () => {
  const rows = [...PEOPLE, { id: 2, note: 'x'.repeat(5_000_000) }];
  await using toolwright = await open((run, ...args) => run(...args), rows);
  const error = { code: 'PII_DENIED', message: expect.stringContaining('Read less in one program.') };
  expect(await toolwright.execute(PASSES_ON)).toMatchObject({ status: 'failed', error });
  expect(sent).toEqual([]);
  // Its syntax proves that it passes the values on.
  const proven = `const people = await callMCPTool('crm__list', {});\nawait callMCPTool('crm__send', { to: people[0].email });`;
  expect(await toolwright.execute(proven)).toMatchObject({ status: 'completed' });
  expect(sent).toEqual([{ to: 'ann@x.com' }]);
});
