import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { type Desk, openDesk } from '../fixtures/command-line.ts';
import { ask } from '../fixtures/http-server.ts';
import { startHttp } from '../fixtures/mcp-clients.ts';
import { shortForm } from '../fixtures/short-form.ts';

/** Other processes that use the data folder of a running server, and end. */
const INTRUDERS = {
  'the command line changes keys': changeKeys,
  'a second server ends': (desk: Desk) => endSecondServer(desk, 'SIGTERM'),
  'a second server is killed': (desk: Desk) => endSecondServer(desk, 'SIGKILL'),
} as const;

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

test.each(shortForm(ordersOf(Object.keys(INTRUDERS) as (keyof typeof INTRUDERS)[])))(
  'keys apply at once and no placeholder is lost when %s, then %s, then %s, and the server is killed',
  async (...order) => {
    const desk = openDesk({});
    const first = await newKey(desk);
    const server = await start(desk);
    const sessionId: string = (await server.send(first.text, 'sessions', {})).body.sessionId;
    const issued = new Map<string, string>();
    const issue = async () => {
      const email = `person${issued.size}@example.com`;
      const { body } = await server.send(first.text, 'execute', { code: `return '${email}'`, sessionId });
      expect(body).toMatchObject({ status: 'completed', value: expect.stringMatching(/^\[EMAIL_\d+\]$/) });
      issued.set(body.value, email);
    };
    await issue();
    for (const name of order) {
      await INTRUDERS[name](desk);
      const added = await newKey(desk);
      expect((await server.send(added.text, 'execute', { code: 'return 1' })).status).toBe(200);
      await issue();
      expect((await desk.run(['keys', 'revoke', added.id])).code).toBe(0);
      expect((await server.send(added.text, 'execute', { code: 'return 1' })).status).toBe(401);
      await issue();
    }
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    await using toolwright = await createToolwright({ dataDir: `${desk.folder}/state/toolwright`, sandbox: 'quickjs' });
    expect(issued.size).toBe(7);
    const restored = await toolwright.pii.restore([...issued.keys()].join(' '), { sessionId, userId: 'ada' });
    expect(restored).toBe([...issued.values()].join(' '));
  },
);

async function newKey(desk: Desk): Promise<{ id: string; text: string }> {
  const { out } = await desk.run(['keys', 'create', '--user', 'ada', '--json']);
  const { id, key } = JSON.parse(out);
  return { id, text: key };
}

async function changeKeys(desk: Desk): Promise<void> {
  const { id } = await newKey(desk);
  for (const args of [['list'], ['revoke', id], ['list']]) {
    expect((await desk.run(['keys', ...args])).code).toBe(0);
  }
}

async function endSecondServer(desk: Desk, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { text } = await newKey(desk);
  const { send, child } = await start(desk);
  expect((await send(text, 'execute', { code: `return 'other@example.com'` })).status).toBe(200);
  child.kill(signal);
  await once(child, 'exit');
}

async function start(desk: Desk) {
  const { url, child, stop } = await startHttp(desk, ['--sandbox', 'quickjs']);
  stops.push(stop);
  const send = (key: string, path: string, json: object) =>
    ask(url.replace(/mcp$/, path), { headers: { authorization: `Bearer ${key}` }, json });
  return { child, send };
}

/** Returns all orders of a list. */
function ordersOf<T>(list: readonly T[]): T[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((item) => ordersOf(list.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}
