import { inlineConnector } from '@toolwright/connectors';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { fileTypes } from '../catalog/inferred-types/file-types.ts';
import { openObservations } from '../catalog/inferred-types/observations.ts';
import { nextPageOf } from './observe.ts';

it('lets the catalog of one user infer the type of results', async () => {
  await using observations = openObservations(fileTypes(temporaryFolder()));
  const crm = inlineConnector('crm', { tools: { find: { run: () => 1 } } });
  const shared = createCatalog({ connectors: [crm], observations });
  const catalog = shared.forUser('ada');
  const tool = await catalog.tool('crm__find');
  const observed = (user: string) => shared.forUser(user).withObserved(tool).observed;
  expect(observed('ada')).toBeUndefined();
  catalog.observe(tool, { email: '[EMAIL_1]' });
  expect(observed('ada')).toMatchObject({ type: ['object'], properties: { email: { type: ['string'] } } });
  expect(JSON.stringify(observed('ada'))).not.toContain('EMAIL');
  expect(observed('bob')).toBeUndefined();
});

it.each([
  [{ contacts: [], next_cursor: '3' }, 'next_cursor'],
  [{ items: [], nextPage: 2 }, 'nextPage'],
  [{ data: [], has_more: true }, 'has_more'],
  [{ items: [], next_cursor: null }, undefined],
  [{ items: [], next_cursor: '', has_more: false }, undefined],
  [[{ next_cursor: 'a' }], undefined],
  ['next_cursor', undefined],
])('%j has the next page in %s', (data, name) => expect(nextPageOf(data)).toBe(name));
