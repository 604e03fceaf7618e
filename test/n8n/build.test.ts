import { describe, expect, it } from 'vitest';
import { createNodeCatalog, type NodeCatalog } from '../../packages/n8n/src/catalogs/catalog.ts';
import { EXAMPLE_CATALOG } from '../../packages/n8n/src/catalogs/example/catalog.ts';
import { indexOf } from '../../packages/n8n/src/catalogs/index-file.ts';
import { buildWorkflow } from '../../packages/n8n/src/workflows/build.ts';
import { linksOf } from '../../packages/n8n/src/workflows/links/connections.ts';
import { nodesOf } from '../../packages/n8n/src/workflows/links/ports.ts';
import { needsTemplates, openRealCatalog } from './templates.ts';

/** Returns the types with one main input that a list of nodes leaves without a connection. Several inputs need a name. */
function unreached(catalog: NodeCatalog): string[] {
  return catalog.entries.flatMap(({ name: type }) => {
    const node = { type, typeVersion: catalog.versions(type).at(-1), name: 'Last', parameters: {} };
    const { inputs = [] } = nodesOf([node], catalog).ports('Last');
    const outputs = nodesOf([node], catalog).ports('Last').outputs ?? [];
    if (inputs.filter((port) => port.type === 'main').length !== 1 || outputs.some((port) => port.type !== 'main'))
      return [];
    const { connections } = buildWorkflow({ nodes: ['webhook', node] }, catalog);
    return linksOf(connections).some(({ to }) => to === 'Last') ? [] : [type];
  });
}

describe('a list of nodes', () => {
  it('reaches each node of the example with an input', () => {
    expect(unreached(createNodeCatalog(indexOf(EXAMPLE_CATALOG)))).toEqual([]);
  });
});

needsTemplates.describe('a list of nodes of n8n', () => {
  it('reaches each node with an input', () => {
    const catalog = openRealCatalog();
    expect(unreached(catalog)).toEqual([]);
    expect(buildWorkflow({ nodes: ['webhook', 'stopAndError'] }, catalog).connections).toMatchObject({
      Webhook: { main: [[{ node: 'Stop and Error' }]] },
    });
  });
});
