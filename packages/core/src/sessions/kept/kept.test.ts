import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { openWorkspace } from '../../workspaces/workspace.ts';
import { createKeptStores, type KeptChange, MAX_KEPT_BYTES } from './kept.ts';

const change = (name: string, content: string): KeptChange => ({ name, content, format: 'json', type: 'str' });
const open = () => {
  const root = join(temporaryFolder(), 'kept');
  const files = openWorkspace({ root, workspaceBytes: 2 * MAX_KEPT_BYTES, workspaceFiles: 1_000 });
  return createKeptStores()('session', files);
};

test('a later value replaces one of the same name, and an equal one changes nothing', async () => {
  const store = open();
  expect((await store.keep([change('a', '1'), change('b', '2')])).kept).toHaveLength(2);
  const before = await store.index();
  expect((await store.keep([change('a', '1'), change('b', '3')])).kept.map(({ name }) => name)).toEqual(['b']);
  const after = await store.index();
  expect(after.a).toEqual(before.a);
  expect(await store.read(after.b?.hash ?? '')).toBe('3');
  // A journal names it by its hash.
  expect(await store.read(before.b?.hash ?? '')).toBe('2');
});

test('programs that end at once lose no value of each other', async () => {
  const store = open();
  const names = Array.from({ length: 20 }, (_, index) => `name${index}`);
  await Promise.all(names.map((name) => store.keep([change(name, `"${name}"`)])));
  expect(Object.keys(await store.index()).sort()).toEqual(names.sort());
});

test('values over the limit of a session are returned, and old contents make space', async () => {
  const store = open();
  const half = 'x'.repeat(MAX_KEPT_BYTES / 2);
  await store.keep([change('old', `${half}1`)]);
  const old = (await store.index()).old?.hash ?? '';
  expect((await store.keep([change('other', `${half}2`), change('tiny', '1')])).full.map(({ name }) => name)).toEqual([
    'other',
  ]);
  await store.keep([change('old', '"small"'), change('other', `${half}3`)]);
  expect(Object.keys(await store.index())).toEqual(['old', 'tiny', 'other']);
  expect(await store.read(old)).toBeUndefined();
});

test('a name of the language is an ordinary name', async () => {
  const store = open();
  await store.keep([change('__proto__', '1'), change('constructor', '2')]);
  expect(Object.keys(await store.index()).sort()).toEqual(['__proto__', 'constructor']);
});
