import type { Tool } from '@toolwright/connectors';
import { createDetection } from '@toolwright/pii';
import { describe, expect, it } from 'vitest';
import { memoryStore, type Store } from '../../../../storage/src/store.ts';
import { createToolIndex } from '../search/tool-index.ts';
import { createRecentSearches, learnableTerms, openUsage, type Source, type Usage } from './usage.ts';
import { USAGE_NAMESPACE } from './user-records.ts';

const TOOLS: readonly Tool[] = Object.entries({
  kitchen__find_recipe: 'Finds a recipe.',
  kitchen__plan_week: 'Arranges dishes over seven days.',
  kitchen__plan_table: 'Arranges chairs.',
  calendar__plan_meeting: 'Arranges a meeting.',
  calendar__plan_trip: 'Arranges a trip.',
  office__plan_budget: 'Arranges the budget of a team.',
  office__send_mail: 'Sends a mail.',
}).map(([id, description]) => {
  const [server = '', name = ''] = id.split('__');
  return { id, server, definition: { name, description, inputSchema: {} } };
});
const QUERY = 'plan what the family eats';
const { detectText: detect } = createDetection();

const index = createToolIndex();
for (const server of ['kitchen', 'calendar', 'office']) {
  index.set(server, { tools: TOOLS.filter((tool) => tool.server === server) });
}

function open(store: Store = memoryStore()) {
  const warnings: string[] = [];
  const usage = openUsage({ store, detect, log: { warn: (_details, message) => void warnings.push(message) } });
  return { usage, warnings, store };
}

async function ids(usage: Usage, query: string, userId = 'ada'): Promise<string[]> {
  const experience = await usage.forUser(userId).experience();
  return index.search(query, { experience }).map(({ tool }) => tool.id);
}

/** Searches and calls a tool, as one program of a user. */
async function use(usage: Usage, queries: readonly string[], id: string, userId = 'ada'): Promise<void> {
  const program = usage.forUser(userId);
  const experience = await program.experience();
  for (const query of queries) {
    const found = index.search(query, { experience }).map(({ tool }) => tool.id);
    program.searched(query, found, index.hasTerm);
  }
  const tool = TOOLS.find((each) => each.id === id);
  if (tool) program.called(tool);
  await usage.settled();
}

const plain = (query: string): string[] => index.search(query).map(({ tool }) => tool.id);

async function storedText(store: Store): Promise<string> {
  let text = '';
  for await (const page of store.list(USAGE_NAMESPACE)) for (const { value } of page) text += value.toString();
  return text;
}

describe('usage of several users', () => {
  it('moves nothing for others until three users taught the same', async () => {
    const { usage, store } = open();
    for (const user of ['ada', 'bob']) await use(usage, [QUERY], 'kitchen__plan_week', user);
    // Many calls of one user are one voice.
    for (let count = 0; count < 20; count++) await use(usage, [QUERY], 'kitchen__plan_week', 'bob');
    await usage[Symbol.asyncDispose]();
    const second = open(store).usage;
    expect((await ids(second, QUERY, 'bob'))[0]).toBe('kitchen__plan_week');
    expect(await ids(second, QUERY, 'eve')).toEqual(plain(QUERY));
    await use(second, [QUERY], 'kitchen__plan_week', 'cid');
    await second[Symbol.asyncDispose]();
    const third = open(store).usage;
    expect((await ids(third, 'plan', 'eve'))[0]).toBe('kitchen__plan_week');
    // "family" and "eat" are words of no tool: they stay with the users who taught them.
    expect(await ids(third, 'family eats', 'eve')).toEqual(plain('family eats'));
    expect((await ids(third, 'family eats', 'ada'))[0]).toBe('kitchen__plan_week');
  });

  it('merges the lessons of two processes', async () => {
    const store = memoryStore();
    const [one, two] = [open(store).usage, open(store).usage];
    await use(one, [QUERY], 'kitchen__plan_week');
    await use(two, [QUERY], 'calendar__plan_trip');
    await Promise.all([one[Symbol.asyncDispose](), two[Symbol.asyncDispose]()]);
    const text = await storedText(store);
    expect([text.includes('plan_week'), text.includes('plan_trip')]).toEqual([true, true]);
  });
});

describe('the stored record', () => {
  it('has no personal data, numbers and rare words', async () => {
    const { usage, store } = open();
    const data = 'Lovelace ada@example.com +49 170 1234567 card 4111111111111111 [EMAIL_1] xqzzt9 /home/kowalski';
    await use(usage, [`plan the dinner with ${data}`], 'kitchen__plan_week');
    await usage[Symbol.asyncDispose]();
    const [[, , , words]] = JSON.parse(await storedText(store)).tools;
    expect(Object.keys(words).sort()).toEqual(['din', 'plan']);
  });

  it.each(['{', '[]', '{"version":1,"at":0,"tools":[["kitchen__plan_week","kitchen",1e99,{}]]}', 'x'.repeat(500_000)])(
    'is ignored with a warning when it is damaged, and replaced by the next use',
    async (damaged) => {
      const store = memoryStore();
      await store.put(USAGE_NAMESPACE, [{ key: 'ada', value: damaged }]);
      const { usage, warnings } = open(store);
      expect(await ids(usage, QUERY)).toEqual(plain(QUERY));
      expect(warnings[0]).toBe('ignored a damaged record of search usage; the next use replaces it');
      await use(usage, [QUERY], 'kitchen__plan_week');
      await usage[Symbol.asyncDispose]();
      expect(JSON.parse(await storedText(store))).toMatchObject({ version: 1 });
    },
  );

  it('of tools that are gone changes nothing', async () => {
    const { usage } = open();
    const program = usage.forUser('ada');
    program.searched(QUERY, ['gone__plan'], index.hasTerm);
    program.called({ id: 'gone__plan', server: 'gone', definition: { name: 'plan', inputSchema: {} } });
    await usage.settled();
    expect(await ids(usage, QUERY)).toEqual(plain(QUERY));
  });

  it('does not move a tool above strong hits, even with the highest numbers for all words', async () => {
    const words = ['send', 'mail', 'find', 'recip', 'meet', 'trip', 'budget', 'team'].map((word) => [word, 1_000]);
    const tools = [['kitchen__plan_table', 'kitchen', 1_000, Object.fromEntries(words)]];
    const store = memoryStore();
    await store.put(USAGE_NAMESPACE, [{ key: 'ada', value: JSON.stringify({ version: 1, at: Date.now(), tools }) }]);
    const { usage } = open(store);
    for (const query of [
      'send a mail',
      'find a recipe',
      'plan a meeting',
      'plan a trip',
      'plan the budget of a team',
    ]) {
      expect((await ids(usage, query))[0]).toBe(plain(query)[0]);
    }
  });

  it('of one session with many unrelated searches does not move its tool above strong hits', async () => {
    const { usage } = open();
    const queries = ['send a mail', 'find a recipe', 'plan a meeting', 'plan a trip'];
    for (let count = 0; count < 50; count++) await use(usage, queries, 'kitchen__plan_table');
    for (const query of queries) expect((await ids(usage, query))[0]).toBe(plain(query)[0]);
  });

  it('is not needed: searches learn in memory while the store fails', async () => {
    const fail = () => Promise.reject(new Error('down'));
    const { usage, warnings } = open({ ...memoryStore(), get: fail, put: fail });
    await use(usage, [QUERY], 'kitchen__plan_week');
    expect((await ids(usage, QUERY))[0]).toBe('kitchen__plan_week');
    await usage[Symbol.asyncDispose]();
    expect(warnings).toContain('search usage could not be stored; searches work without it');
  });
});

const filter = {
  detect: createDetection().detectText,
  isInCatalog: (term: string) => term === 'kubernet' || term === '天气',
};

it.each([
  ['reads the kubernetes logs', ['read', 'kubernet', 'log']],
  ['mail Zbigniew Brzęczyszczykiewicz', ['mail']],
  ['call 0170 1234567 or bob.smith@example.com', ['call']],
  ['open [PERSON_1] and [EMAIL_12]', ['open']],
  ['file /home/nowak/notes.txt', ['fil']],
  ['user Nowak99 token ghp_16C7e42F292c6912E7710c838347Ae178B4a', ['user', 'token']],
  ['天气', ['天气']],
  ['', []],
])('keeps known and common words only: %j', async (query, expected) => {
  expect(await learnableTerms(query, filter)).toEqual(expected);
});

it('learns nothing if the detection fails', async () => {
  const detect = () => Promise.reject(new Error('no detector'));
  await expect(learnableTerms('read a file', { ...filter, detect })).rejects.toThrow('no detector');
});

const tool = (id: string): Tool => ({ id, server: 's', definition: { name: id, inputSchema: {} } });
const source = (): Source => ({ used: new Set() });
const terms = (...list: string[]) => Promise.resolve(list);

it('credits the searches that found the tool, else all of the program', async () => {
  const recent = createRecentSearches(() => 0);
  const program = source();
  recent.add('ada', program, { terms: terms('one'), found: ['x'] });
  recent.add('ada', program, { terms: terms('two'), found: [] });
  recent.add('ada', source(), { terms: terms('other'), found: [] });
  recent.add('bob', program, { terms: terms('bob'), found: ['x', 'y'] });
  expect(await recent.lessonOf('ada', program, tool('x'))).toMatchObject({ uses: 1, words: new Map([['one', 1]]) });
  expect((await recent.lessonOf('ada', program, tool('y')))?.words).toEqual(
    new Map([
      ['one', 0.5],
      ['two', 0.5],
    ]),
  );
});

it('counts a program and a search once per tool', async () => {
  const recent = createRecentSearches(() => 0);
  const program = source();
  recent.add('ada', program, { terms: terms('one'), found: ['x'] });
  await recent.lessonOf('ada', program, tool('x'));
  expect(recent.lessonOf('ada', program, tool('x'))).toBeUndefined();
  const next = await recent.lessonOf('ada', source(), tool('x'));
  expect([next?.uses, next?.words.size]).toEqual([1, 0]);
});

it('forgets searches after ten minutes', async () => {
  let now = 0;
  const recent = createRecentSearches(() => now);
  recent.add('ada', source(), { terms: terms('one'), found: ['x'] });
  now = 11 * 60 * 1_000;
  expect((await recent.lessonOf('ada', source(), tool('x')))?.words.size).toBe(0);
});
