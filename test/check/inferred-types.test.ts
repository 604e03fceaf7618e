import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';

const SECRETS = ['Ada Lovelace', 'ada@example.org', '1815-12-10', '4242'];
const people = [
  { name: SECRETS[0], mail: SECRETS[1], born: SECRETS[2], pin: 4242, tags: ['x'] },
  { name: 'Bob', mail: null, tags: [] },
];
const tools = {
  crm: {
    tools: {
      find: { description: 'Finds people.', run: () => ({ people, byMail: { [String(SECRETS[1])]: 1 } }) },
      other: { run: () => 'x' },
    },
  },
};
const open = (dataDir: string, own: object = tools) =>
  createToolwright({ dataDir, sandbox: 'quickjs', tools: own as typeof tools });
/** The folder of the default user's types. */
const OWN = 'users/local/observed';
const SEEN = 'servers.crm.find(): {people: object[], byMail: {[key: string]: number}} // observed';

it('types of results are inferred, survive a restart, and are marked as observed in every form', async () => {
  const dataDir = temporaryFolder();
  {
    await using first = await open(dataDir);
    expect(await first.describe('crm__find', 'signature')).toBe('servers.crm.find()\n  Finds people');
    await first.execute('return await servers.crm.find()');
    expect(await first.describe('crm__find', 'signature')).toBe(`${SEEN}\n  Finds people`);
  }
  await using again = await open(dataDir, { ...tools, more: { tools: { unrelated: { run: () => 1 } } } });
  expect(await again.describe('crm__find', 'signature')).toBe(`${SEEN}\n  Finds people`);
  expect((await again.search('find people')).hits[0]?.signature).toBe(SEEN);
  const docs = await again.describe('crm__find');
  expect(docs).toContain('The result type was inferred from earlier results, not declared. It may be incomplete.');
  expect(docs).toContain('born?: string');
  const python = await again.describe('crm__find', 'signature', { language: 'python' });
  expect(python).toMatch(/-> .*"people": list.*# observed/);
  expect((await again.serverFiles().read('/servers/crm/find.ts', 10_000)).toString()).toContain('born?: string');
  expect((await again.serverFiles('python').read('/servers/crm.pyi', 10_000)).toString()).toContain(
    'inferred from earlier results',
  );
});

it('contains no value', async () => {
  const dataDir = temporaryFolder();
  await using toolwright = await open(dataDir);
  await toolwright.execute('await servers.crm.find(); await servers.crm.other()');
  await toolwright.close();
  const folder = join(dataDir, OWN);
  const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  expect(text).toHaveLength(2);
  for (const secret of SECRETS) expect(text.join('\n')).not.toContain(secret);
});

it('never causes the refusal of a program', async () => {
  const dataDir = temporaryFolder();
  await using toolwright = await open(dataDir);
  await toolwright.execute('return await servers.crm.find()');
  const source = 'const r = await servers.crm.find(); return [r.nothing, r.people.nothing, r.people[0].nothing.deep]';
  expect(await toolwright.check(source)).toMatchObject({ status: 'passed' });
});

it('two processes that infer types at once lose nothing', async () => {
  const dataDir = temporaryFolder();
  const giving = (result: object) => ({ crm: { tools: { find: { run: () => result } } } });
  const [one, two] = await Promise.all([open(dataDir, giving({ a: 1 })), open(dataDir, giving({ b: 'x' }))]);
  await Promise.all([one, two].map((toolwright) => toolwright.execute('return await servers.crm.find()')));
  await Promise.all([one.close(), two.close()]);
  await using third = await open(dataDir, giving({}));
  expect(await third.describe('crm__find', 'signature')).toBe(
    'servers.crm.find(): {a?: number, b?: string} // observed',
  );
});

it('a broken file is moved aside, and replaced', async () => {
  const dataDir = temporaryFolder();
  await using first = await open(dataDir);
  await first.execute('return await servers.crm.other()');
  await first.close();
  const [name = ''] = readdirSync(join(dataDir, OWN));
  writeFileSync(join(dataDir, OWN, name), '{"type": [');
  await using again = await open(dataDir);
  expect(await again.describe('crm__other', 'signature')).toBe('servers.crm.other()');
  await again.execute('return await servers.crm.other()');
  expect(await again.describe('crm__other', 'signature')).toBe('servers.crm.other(): string // observed');
  await again.close();
  const names = readdirSync(join(dataDir, OWN));
  expect(names.sort()).toEqual([name, expect.stringMatching(/\.damaged-/)]);
});
