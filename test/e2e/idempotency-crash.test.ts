import { expect, test } from 'vitest';
import { openEffectsFolder } from '../fixtures/effects-folder.ts';
import { ask } from '../fixtures/http-server.ts';
import { until } from '../fixtures/server.ts';

const WAIT_MS = 150_000;
const REQUESTS = 20;
/** Milliseconds between an effect and its answer. */
const EFFECT_MS = 1_000;
const TIMEOUT_MS = 400_000;

/** A program with two effects. Its first call may be answered when the server is killed, and its second one never is. */
const program = (name: string) =>
  `const first = await callMCPTool('effects__append', { line: '${name}-1' });
const second = await callMCPTool('effects__append', { line: '${name}-2' });
return [first, second];`;

test(
  'keys survive kill -9: no effect is doubled, and each key answers with its record',
  async () => {
    const { serve, effects } = openEffectsFolder(EFFECT_MS);
    const send = (url: string, name: string, code = program(name)) =>
      ask(`${url}/execute`, { json: { code, check: false }, headers: { 'idempotency-key': name } });

    const first = await serve();
    const done = await send(first.url, 'done');
    expect(done.body).toMatchObject({ status: 'completed', value: ['done-1', 'done-2'] });
    const large = await send(first.url, 'large', `return 'x'.repeat(30_000)`);
    const names = Array.from({ length: REQUESTS }, (_, index) => `r${index}`);
    const cut = names.map((name) => send(first.url, name).catch(() => 'cut'));
    // At least half of the programs have had an effect, and not all have had both.
    await until(() => effects().length >= 2 + REQUESTS / 2, WAIT_MS);
    await first.end('SIGKILL');
    await Promise.all(cut);
    const before = effects();
    expect(new Set(before).size).toBe(before.length);

    const second = await serve();
    for (const [name, answer] of [
      ['done', done],
      ['large', large],
    ] as const) {
      const again = await send(second.url, name, name === 'large' ? `return 'x'.repeat(30_000)` : program(name));
      expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([200, 'true', answer.body]);
    }
    // Until the lease of the killed process has expired, nobody knows whether it still works: the answer is 409. Then the server
    // continues the programs. One with a call without an answer waits for a person.
    const settled = async (name: string) => {
      let answer = await send(second.url, name);
      await until(async () => {
        const isOpen = () => answer.status === 409 || answer.body.status === 'interrupted';
        if (isOpen()) answer = await send(second.url, name);
        return !isOpen();
      }, WAIT_MS);
      return answer;
    };
    const retried = await Promise.all(names.map(settled));
    const suspended: string[] = [];
    for (const { status, body, headers } of retried) {
      expect(status).toBe(200);
      if (headers.get('idempotent-replayed') === null) continue;
      expect(['suspended', 'completed']).toContain(body.status);
      if (body.status !== 'suspended') continue;
      suspended.push(body.executionId);
      const { calls } = (await ask(second.url + body.links.calls)).body;
      expect(calls.map(({ tool }: { tool: string }) => tool)).toEqual(
        body.calls.map(({ tool }: { tool: string }) => tool),
      );
    }
    expect(suspended.length).toBeGreaterThan(0);
    // Programs that the first server had not started ran now, once.
    const after = effects();
    expect(new Set(after).size).toBe(after.length);
    expect(after.slice(0, before.length)).toEqual(before);
    for (const name of names) expect(after.filter((line) => line === `${name}-1`).length).toBeLessThanOrEqual(1);

    const listed = await ask(`${second.url}/executions?status=suspended&limit=200`);
    expect(listed.body.executions.map(({ executionId }: { executionId: string }) => executionId).sort()).toEqual(
      suspended.sort(),
    );
    for (const id of suspended) {
      const { questions } = (await ask(`${second.url}/executions/${id}/questions`)).body;
      expect(questions).toMatchObject([{ kind: 'outcome', tool: 'effects__append' }]);
    }
    // The same key with other content is refused, and a later retry gets the same record.
    expect((await send(second.url, 'r0', 'return 2')).status).toBe(422);
    const [lost = ''] = suspended;
    const name = names[retried.findIndex(({ body }) => body.executionId === lost)] ?? '';
    expect((await send(second.url, name)).body).toMatchObject({ status: 'suspended', executionId: lost });
    expect(effects()).toEqual(after);
  },
  TIMEOUT_MS,
);
