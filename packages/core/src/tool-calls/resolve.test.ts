import { inlineConnector } from '@toolwright/connectors';
import { expect, it } from 'vitest';
import { partial } from '../../../../test/fixtures/partial.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { resolveTool } from './resolve.ts';

const crm = inlineConnector('crm', { tools: { find: { run: () => 1 } } });
const catalog = createCatalog({ connectors: [crm] }).forUser('local');

it('returns the tool and the connector of its server', async () => {
  const call = { number: 1, tool: 'crm__find', args: {} };
  const { tool, connector } = await resolveTool(call, partial({ catalog, language: 'typescript' }));
  expect([tool.id, Object(connector).name]).toEqual(['crm__find', 'crm']);
});

it('suggests a tool in the language of the program', async () => {
  const call = { number: 1, tool: 'crm__fnd', args: {} };
  const failure = await failureOf(resolveTool(call, partial({ catalog, language: 'python' })));
  expect(failure.code).toBe('UNKNOWN_TOOL');
  expect(failure.message).toMatch(/Did you mean crm__find\?\nawait servers\.crm\.find\(/);
});
