import { afterEach, describe, expect, test } from 'vitest';
import { childrenOf, isAlive } from '../../../../test/fixtures/processes.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import type { CheckOperations } from '../checkers/operations.ts';
import type { LanguageOperations } from '../languages/operations.ts';
import { createLanguageWorkers, type LanguageWorkers } from './pool.ts';
import type { LanguageWorker, WorkerAnswer, WorkerLoss } from './worker.ts';

const TOO_COMPLEX = expect.objectContaining({ code: 'SOURCE_TOO_COMPLEX' });
type Operations = LanguageOperations & CheckOperations;
const opened: LanguageWorkers<Operations>[] = [];
const openWorkers = (size = 2, start?: () => LanguageWorker) => {
  const workers = createLanguageWorkers<Operations>({ size, ...(start ? { start } : {}) });
  opened.push(workers);
  return workers;
};
afterEach(() => {
  for (const workers of opened.splice(0)) workers.end();
});
const workerPids = () => childrenOf().flatMap(({ pid, command }) => (/language-worker/.test(command) ? [pid] : []));

/** Workers with requests that the test ends. */
function controlled() {
  const running: { readonly tenant: string; readonly end: (answer: WorkerAnswer | { lost: WorkerLoss }) => void }[] =
    [];
  const start = (): LanguageWorker => {
    let alive = true;
    return {
      alive: () => alive,
      kill: () => {
        alive = false;
      },
      request: ({ input }) =>
        new Promise((resolve) => {
          const { text } = input as { text: string };
          const entry = {
            tenant: text,
            end: (answer: WorkerAnswer | { lost: WorkerLoss }) => {
              running.splice(running.indexOf(entry), 1);
              if ('lost' in answer) alive = false;
              resolve(answer);
            },
          };
          running.push(entry);
        }),
    };
  };
  return { running, start };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a text that a parser cannot survive', () => {
  test.each([
    ['tagged templates', `'a'+${'``'.repeat(100_000)}`],
    ['brackets', '['.repeat(200_000)],
    ['a chain of instanceof', `a${' instanceof a'.repeat(150_000)}`],
    ['a chain of in', `a${' in a'.repeat(100_000)}`],
    ['a chain of satisfies', `a${' satisfies a'.repeat(150_000)}`],
    ['arrow functions', '()=>'.repeat(100_000)],
    ['negations', '!'.repeat(500_000)],
  ])('made of %s is refused, and the next one is read', async (_name, text) => {
    const { run } = openWorkers();
    expect(await failureOf(run('prepareTypescript', { text }))).toEqual(TOO_COMPLEX);
    expect(await run('prepareTypescript', { text: '1' })).toMatchObject({ code: expect.stringContaining('1') });
  });

  test('is refused when it ends the compiler of modules', async () => {
    const { run } = openWorkers();
    const source = `export const a = ${'``'.repeat(200_000)}`;
    const failure = await failureOf(run('prepareTypescriptModule', { source, path: '/workspace/m.ts' }));
    expect(['SOURCE_TOO_COMPLEX', 'SYNTAX']).toContain(failure.code);
    expect(await run('prepareTypescriptModule', { source: 'let a: number', path: 'a.ts' })).toBe('let a;\n');
  });

  test('is not read again', async () => {
    const { start, running } = controlled();
    const { run } = openWorkers(1, start);
    const first = failureOf(run('prepareTypescript', { text: 'x' }));
    running[0]?.end({ lost: 'time' });
    expect(await first).toEqual(TOO_COMPLEX);
    expect(await failureOf(run('prepareTypescript', { text: 'x' }))).toEqual(TOO_COMPLEX);
    expect(running).toEqual([]);
  });
});

test('a text whose worker was too busy fails, and is read again later', async () => {
  const { start, running } = controlled();
  const { run } = openWorkers(1, start);
  const first = failureOf(run('prepareTypescript', { text: 'x' }));
  running[0]?.end({ lost: 'busy' });
  expect(await first).toMatchObject({ code: 'LANGUAGE_SERVICE_BUSY' });
  const second = run('prepareTypescript', { text: 'x' });
  running[0]?.end({ value: 1 });
  expect(await second).toBe(1);
});

test('long lines of valid TypeScript are read', async () => {
  const { run } = openWorkers();
  const { code } = await run('prepareTypescript', { text: 'x as y;'.repeat(9_000) });
  expect(code.length).toBeGreaterThan(9_000);
});

test('a text that takes too long is refused, and its worker ends', async () => {
  const others = workerPids();
  const { run } = openWorkers();
  await run('prepareTypescript', { text: '1' });
  const [pid = 0] = workerPids().filter((found) => !others.includes(found));
  const failure = await failureOf(run('prepareTypescript', { text: 'a = 1;\n'.repeat(60_000) }, { timeoutMs: 5 }));
  expect(failure).toEqual(TOO_COMPLEX);
  expect(failure.message).toContain('takes more than 0.005 s');
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('a request survives the end of its worker by something else', async () => {
  const { run } = openWorkers(1);
  await run('prepareTypescript', { text: '1' });
  const answer = run('prepareTypescript', { text: 'a = 1;\n'.repeat(5_000) });
  for (const pid of workerPids()) process.kill(pid, 'SIGKILL');
  expect((await answer).code.length).toBeGreaterThan(5_000);
});

describe('tenants', () => {
  test('take turns, and one never holds all workers', async () => {
    const { start, running } = controlled();
    const { run } = openWorkers(3, start);
    const all = ['a', 'a', 'a', 'a', 'b', 'c'].map((tenant) => run('prepareTypescript', { text: tenant }, { tenant }));
    expect(running.map(({ tenant }) => tenant)).toEqual(['a', 'a', 'b']);
    running[0]?.end({ value: 1 });
    await turn();
    expect(running.map(({ tenant }) => tenant)).toEqual(['a', 'b', 'a']);
    running[1]?.end({ value: 1 });
    await turn();
    expect(running.map(({ tenant }) => tenant)).toContain('c');
    while (running.length > 0) {
      running[0]?.end({ value: 1 });
      await turn();
    }
    expect(await Promise.all(all)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test('that wait for their own texts leave a started worker to others', async () => {
    const { start, running } = controlled();
    let started = 0;
    const { run, counts } = openWorkers(2, () => {
      started++;
      return start();
    });
    const all = ['a', 'a'].map((tenant) => run('prepareTypescript', { text: tenant }, { tenant }));
    expect([counts(), started]).toEqual([{ workers: 2, busy: 1, waiting: 1 }, 2]);
    all.push(run('prepareTypescript', { text: 'b' }, { tenant: 'b' }));
    expect([running.map(({ tenant }) => tenant), started]).toEqual([['a', 'b'], 2]);
    while (running.length > 0) {
      running[0]?.end({ value: 1 });
      await turn();
    }
    await Promise.all(all);
  });

  test('with texts that ended workers share one worker', async () => {
    const { start, running } = controlled();
    const workers = openWorkers(3, start);
    for (const tenant of ['a', 'b']) workers.limit(tenant);
    const all = ['a', 'b', 'c', 'd'].map((tenant) => workers.run('prepareTypescript', { text: tenant }, { tenant }));
    expect(running.map(({ tenant }) => tenant)).toEqual(['a', 'c', 'd']);
    running[1]?.end({ value: 1 });
    await turn();
    expect(running.map(({ tenant }) => tenant)).toEqual(['a', 'd']);
    running[0]?.end({ value: 1 });
    await turn();
    expect(running.map(({ tenant }) => tenant)).toEqual(['d', 'b']);
    for (const { end } of [...running]) end({ value: 1 });
    await Promise.all(all);
  });

  test('with too many waiting texts are refused, and others are not', async () => {
    const { start, running } = controlled();
    const { run } = openWorkers(2, start);
    const all = Array.from({ length: 1_001 }, () => run('prepareTypescript', { text: 'a' }, { tenant: 'a' }));
    for (const answer of all) answer.catch(() => undefined);
    const failure = await failureOf(run('prepareTypescript', { text: 'a' }, { tenant: 'a' }));
    expect(failure).toMatchObject({
      code: 'LANGUAGE_SERVICE_BUSY',
      message: expect.stringContaining('1000 texts of one user wait'),
    });
    const other = run('prepareTypescript', { text: 'b' }, { tenant: 'b' });
    expect(running.map(({ tenant }) => tenant)).toEqual(['a', 'b']);
    running[1]?.end({ value: 2 });
    expect(await other).toBe(2);
  });
});

test('a text that waits too long is refused', async () => {
  const { start } = controlled();
  const { run } = openWorkers(1, start);
  void run('prepareTypescript', { text: 'a' });
  const failure = await failureOf(run('prepareTypescript', { text: 'b' }, { maxWaitMs: 10 }));
  expect(failure).toMatchObject({ code: 'LANGUAGE_SERVICE_BUSY', message: expect.stringContaining('0.01 s') });
});

describe('a cancelled request', () => {
  test('that waits leaves the queue at once', async () => {
    const { start, running } = controlled();
    const workers = openWorkers(1, start);
    const cancelled = new AbortController();
    const first = workers.run('prepareTypescript', { text: 'a' });
    const second = workers.run('prepareTypescript', { text: 'b' }, { signal: cancelled.signal });
    cancelled.abort(new Error('cancelled'));
    await expect(second).rejects.toThrow('cancelled');
    expect(workers.counts().waiting).toBe(0);
    running[0]?.end({ value: 1 });
    expect(await first).toBe(1);
    expect(running).toEqual([]);
  });

  test('that runs ends, the next one has its turn, and the text and its tenant are not limited', async () => {
    const { run } = openWorkers(1);
    const text = `a${' instanceof a'.repeat(30_000)}`.slice(0, 400_000);
    const cancelled = new AbortController();
    await run('prepareTypescript', { text: '1' });
    const slow = run(
      'typescriptExpressions',
      { texts: Array.from({ length: 40 }, (_, id) => `${id}+${text}`) },
      { signal: cancelled.signal },
    );
    const next = run('prepareTypescript', { text: '2' });
    cancelled.abort(new Error('cancelled'));
    await expect(slow).rejects.toThrow('cancelled');
    expect(await next).toMatchObject({ code: expect.stringContaining('2') });
    await expect(run('prepareTypescript', { text: '3' }, { signal: cancelled.signal })).rejects.toThrow('cancelled');
  });

  test('is not retried when its worker ends, and the same text is read later', async () => {
    const { start, running } = controlled();
    const { run } = openWorkers(1, start);
    const cancelled = new AbortController();
    const first = run('prepareTypescript', { text: 'a' }, { signal: cancelled.signal });
    cancelled.abort(new Error('cancelled'));
    running[0]?.end({ lost: 'crash' });
    await expect(first).rejects.toThrow('cancelled');
    expect(running).toEqual([]);
    const again = run('prepareTypescript', { text: 'a' });
    running[0]?.end({ value: 1 });
    expect(await again).toBe(1);
  });
});
