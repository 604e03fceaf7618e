import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { ask, eventsOf } from '../fixtures/http-server.ts';
import { needsPostgres } from '../fixtures/postgres.ts';
import { needsRedis } from '../fixtures/redis.ts';
import { until } from '../fixtures/server.ts';
import type { User } from '../soak/served.ts';
import { type Cluster, startCluster } from './cluster.ts';

/** A program takes a sandbox of its own to start: 50 users make two processors work for more than a minute. */
const USERS = process.env.TOOLWRIGHT_SUITE === 'all' ? 50 : 20;
const CALLS_EACH = Number(process.env.TOOLWRIGHT_CROSSED_CALLS ?? 8);
/** Calls of one program. On a machine with much work, 100 took more than its 30 seconds. */
const CALLS_AT_ONCE = Math.min(25, Math.ceil(CALLS_EACH / 2));
/** Programs of one user, with those that run again. */
const MOST_RUNS = 2 * CALLS_EACH;
const ROUNDS = Math.ceil(CALLS_EACH / CALLS_AT_ONCE);
const PROCESSES = 3;
/** The first words of all users are the same, so that another user's value does not show by its placeholder. */
const PLACEHOLDERS = ['[EMAIL_1]', '[EMAIL_2]'];
const EVENTS_MS = 30_000;
const TEST_MS = 60_000 + USERS * (ROUNDS + 1) * 2_000 + USERS * CALLS_EACH * 40;

needsPostgres.describe('many users over three processes', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({
      ...{ apis: 0, workers: 0, whole: PROCESSES, users: USERS },
      env: { TOOLWRIGHT_SANDBOX: 'quickjs' },
    });
  });
  afterAll(() => cluster?.close());

  needsRedis.it(
    `cross no value, file, placeholder or event in ${USERS} × ${ROUNDS * CALLS_AT_ONCE} calls`,
    async () => {
      const mistakes: string[] = [];
      const works = await Promise.all(cluster.users.map((user) => work(cluster, user, mistakes)));
      mistakes.push(...wrongEffects(readFileSync(cluster.effects, 'utf8')));
      for (const [index, { user, ids }] of works.entries()) {
        const next = works[(index + 1) % works.length];
        mistakes.push(...(await foreignMistakes(cluster, user, { ids, foreign: next?.session ?? '' })));
      }
      expect(mistakes).toEqual([]);
    },
    TEST_MS,
  );
});

interface Worked {
  readonly user: User;
  readonly session: string;
  /** The ids of all executions. */
  readonly ids: readonly string[];
}

function addressesOf({ name }: User): string[] {
  return ['home', 'work'].map((place) => `${name}.${place}@example.com`);
}

/** Works like one user with a session, whose executions run on any process. Notes each value that is not the user's own. */
async function work(cluster: Cluster, user: User, mistakes: string[]): Promise<Worked> {
  const { headers } = user;
  const send = (path: string, json: object) => ask(`${cluster.url()}${path}`, { json, headers });
  const feed = await follow(cluster.url(), user);
  const session: string = (await send('/sessions', {})).body.sessionId;
  const ids: string[] = [];
  const run = async (code: string, expected: unknown) => {
    let { body } = await send('/execute', { code, sessionId: session, check: false });
    ids.push(body.executionId);
    // On a machine with too much work, a process may not renew its right in time. The message asks to run the program again.
    while (body.error?.code === 'WORKSPACE_LOST' && ids.length < MOST_RUNS) {
      ({ body } = await send('/execute', { code, sessionId: session, check: false }));
      ids.push(body.executionId);
    }
    const found = JSON.stringify(body.value ?? body);
    if (found !== JSON.stringify(expected)) mistakes.push(`${user.name} got ${found.slice(0, 500)}`);
  };
  await run(`return ${JSON.stringify(addressesOf(user))}`, PLACEHOLDERS);
  let file = '';
  for (let round = 0; round < ROUNDS; round++) {
    const line = `${user.name} ${round}\n`;
    file += line;
    const given = Array.from({ length: CALLS_AT_ONCE }, (_, nth) => [...PLACEHOLDERS, user.name, round, nth].join(' '));
    const code = `await fs.appendFile('own.txt', ${JSON.stringify(line)});
      const answers = [];
      for (const id of ${JSON.stringify(given)}) answers.push(await callMCPTool('web__record', { id }));
      return { answers, file: await fs.readFile('own.txt', 'utf8') };`;
    await run(code, { answers: given, file });
  }
  const hasAll = () => ids.every((id) => feed.ids.has(id));
  await until(hasAll, EVENTS_MS).catch(() => mistakes.push(`${user.name} missed events of own executions`));
  await feed.leave();
  for (const id of feed.ids) if (!ids.includes(id)) mistakes.push(`${user.name} received an event of ${id}`);
  return { user, session, ids };
}

/** Follows the executions of a user at one process. */
async function follow(url: string, { headers }: User) {
  const leaving = new AbortController();
  const ids = new Set<string>();
  const response = await fetch(`${url}/executions/events`, { headers, signal: leaving.signal });
  const reading = (async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const end = Math.max(0, text.lastIndexOf('\n\n'));
      for (const { data } of eventsOf(text.slice(0, end))) {
        for (const { executionId } of [...(data.executions ?? []), ...(data.batches ?? [])]) ids.add(executionId);
      }
      text = text.slice(end);
    }
  })().catch(() => undefined);
  return {
    ids,
    async leave() {
      leaving.abort();
      await reading;
    },
  };
}

/** Returns the effects at the tool that have a wrong address or number. */
function wrongEffects(effects: string): string[] {
  const expected = new Set<string>();
  for (let user = 0; user < USERS; user++) {
    const name = `user-${user}`;
    for (let call = 0; call < ROUNDS * CALLS_AT_ONCE; call++) {
      const place = [Math.floor(call / CALLS_AT_ONCE), call % CALLS_AT_ONCE];
      expected.add([...addressesOf({ name, headers: {} }), name, ...place].join(' '));
    }
  }
  const wrong: string[] = [];
  for (const effect of effects.split('\n').filter(Boolean)) {
    if (!expected.delete(effect)) wrong.push(`a tool received "${effect}"`);
  }
  return [...wrong, ...[...expected].map((effect) => `no tool received "${effect}"`)];
}

/** Returns a mistake for each foreign execution in the list of a user, and for a file of another session that the user can read. */
async function foreignMistakes(
  cluster: Cluster,
  { name, headers }: User,
  { ids, foreign }: { readonly ids: readonly string[]; readonly foreign: string },
): Promise<string[]> {
  const mistakes: string[] = [];
  const listed = await ask(`${cluster.url()}/executions?limit=100`, { headers });
  const wrong = listed.body.executions.filter((row: { executionId: string }) => !ids.includes(row.executionId));
  if (wrong.length > 0 || listed.body.executions.length === 0) mistakes.push(`${name} listed ${JSON.stringify(wrong)}`);
  const file = await ask(`${cluster.url()}/sessions/${foreign}/files/own.txt`, { headers });
  if (file.status !== 404) mistakes.push(`${name} read the file of another user: ${file.status}`);
  return mistakes;
}
