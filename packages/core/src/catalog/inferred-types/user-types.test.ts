import type { Tool } from '@toolwright/connectors';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { memoryStore } from '../../../../storage/src/store.ts';
import { fileTypes } from './file-types.ts';
import { openObservations } from './observations.ts';
import { storedTypes } from './stored-types.ts';
import type { OpenUserTypes } from './user-types.ts';

const log = { warn: () => undefined };
const tool = { server: 'crm', definition: { name: 'find', inputSchema: { type: 'object' } } } as unknown as Tool;

/** The adapters of the port: each call is the start of a process. */
const ADAPTERS: readonly (readonly [string, () => () => OpenUserTypes])[] = [
  [
    'files',
    () => {
      const folder = temporaryFolder();
      return () => fileTypes(folder);
    },
  ],
  [
    'store',
    () => {
      const store = memoryStore();
      return () => storedTypes({ store, log });
    },
  ],
];

it.each(ADAPTERS)('%s: the next process knows the types of its user, and of no other one', async (_name, place) => {
  const start = place();
  const first = openObservations(start());
  await first.ready('ada');
  first.record('ada', tool, { email: 'ada@example.org' });
  expect(first.schemaOf('ada', tool)).toMatchObject({ properties: { email: { type: ['string'] } } });
  await first[Symbol.asyncDispose]();
  const second = openObservations(start());
  await Promise.all([second.ready('ada'), second.ready('bob')]);
  expect(JSON.stringify(second.schemaOf('ada', tool))).toContain('"email"');
  expect(JSON.stringify(second.schemaOf('ada', tool))).not.toContain('example');
  expect(second.schemaOf('bob', tool)).toBeUndefined();
});

it.each(ADAPTERS)('%s: two processes merge the types that they learn at once', async (_name, place) => {
  const start = place();
  const [one, two] = [openObservations(start()), openObservations(start())];
  await Promise.all([one.ready('ada'), two.ready('ada')]);
  one.record('ada', tool, { a: 1 });
  two.record('ada', tool, { b: 'x' });
  await Promise.all([one[Symbol.asyncDispose](), two[Symbol.asyncDispose]()]);
  const next = openObservations(start());
  await next.ready('ada');
  expect(next.schemaOf('ada', tool)).toMatchObject({ properties: { a: {}, b: {} } });
});

it('store: the types stay in memory while the store fails', async () => {
  const warned: string[] = [];
  const store = memoryStore();
  const broken = { ...store, list: () => failing(), put: () => Promise.reject(new Error('away')) };
  const types = openObservations(
    storedTypes({ store: broken, log: { warn: (_details, message) => void warned.push(message) } }),
  );
  await types.ready('ada');
  types.record('ada', tool, { a: 1 });
  await types[Symbol.asyncDispose]();
  expect(types.schemaOf('ada', tool)).toBeDefined();
  expect(warned).toHaveLength(2);
});

// biome-ignore lint/correctness/useYield: it fails before the first page
async function* failing(): AsyncGenerator<never> {
  throw new Error('away');
}
