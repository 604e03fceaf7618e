import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { openObservations } from '../catalog/inferred-types/store.ts';
import { inlineConnector } from '../connectors/inline.ts';
import { observeResult } from './observe.ts';

it('lets the catalog infer the type of results', async () => {
  using observations = openObservations(temporaryFolder());
  const crm = inlineConnector('crm', { tools: { find: { run: () => 1 } } });
  const catalog = createCatalog({ connectors: [crm], observations });
  const tool = await catalog.tool('crm__find');
  expect(tool.observed).toBeUndefined();
  observeResult({ journalValue: { email: '[EMAIL_1]' } }, { tool }, { catalog });
  expect(tool.observed).toMatchObject({ type: ['object'], properties: { email: { type: ['string'] } } });
  expect(JSON.stringify(tool.observed)).not.toContain('EMAIL');
});
