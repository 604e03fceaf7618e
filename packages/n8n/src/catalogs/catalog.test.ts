import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeCatalog } from './catalog.ts';
import { EXAMPLE_CATALOG } from './example/catalog.ts';
import { cachedVersions, openCatalog, saveCatalog } from './folder.ts';
import { indexOf, openIndex, writeIndex } from './index-file.ts';
import { byVersion } from './version.ts';

const catalog = createNodeCatalog(indexOf(EXAMPLE_CATALOG));

describe('the node catalog', () => {
  it.each([
    ['slack', 'n8n-nodes-base.slack'],
    ['Slack', 'n8n-nodes-base.slack'],
    ['nodes-base.slack', 'n8n-nodes-base.slack'],
    ['n8n-nodes-base.slack', 'n8n-nodes-base.slack'],
    ['HTTP Request', 'n8n-nodes-base.httpRequest'],
    ['httprequest', 'n8n-nodes-base.httpRequest'],
    ['agent', '@n8n/n8n-nodes-langchain.agent'],
    ['nodes-langchain.agent', '@n8n/n8n-nodes-langchain.agent'],
    ['n8n-nodes-langchain.lmChatOpenAi', '@n8n/n8n-nodes-langchain.lmChatOpenAi'],
    ['slackTool', 'n8n-nodes-base.slackTool'],
    ['n8n-nodes-base.slackTool', 'n8n-nodes-base.slackTool'],
    ['codeTool', undefined],
    ['sluck', undefined],
    ['n8n-nodes-evolution-api.slack', undefined],
    ['n8n-nodes-mcp.agentTool', undefined],
    ['@someone/n8n-nodes-slack.slackTool', undefined],
  ])('resolves %s', (name, type) => expect(catalog.resolve(name)).toBe(type));

  it('resolves a short name to a node of n8n, also with a community node of this name', () => {
    const [slack] = EXAMPLE_CATALOG.nodes.filter(({ name }) => name === 'n8n-nodes-base.slack');
    if (!slack) throw new Error('the example has no Slack');
    const community = { ...slack, name: 'n8n-nodes-evolution-api.slack', displayName: 'Evolution 2.0' };
    const both = createNodeCatalog(indexOf({ ...EXAMPLE_CATALOG, nodes: [community, ...EXAMPLE_CATALOG.nodes] }));
    expect(both.resolve('slack')).toBe('n8n-nodes-base.slack');
    expect(both.resolve('n8n-nodes-evolution-api.slack')).toBe('n8n-nodes-evolution-api.slack');
    expect(both.resolve('Evolution 2.0')).toBe('n8n-nodes-evolution-api.slack');
  });

  it('looks up types and versions like the engine', () => {
    expect(catalog.lookup('nodes-base.slack')).toEqual({ missing: 'type', known: [] });
    expect(catalog.lookup('n8n-nodes-base.set', 99)).toEqual({ missing: 'version', known: [3, 3.1, 3.2, 3.3, 3.4] });
    expect(catalog.lookup('n8n-nodes-base.noOp', 1.2)).toMatchObject({
      found: { displayName: 'No Operation, do nothing' },
    });
    expect(catalog.lookup('n8n-nodes-base.codeTool')).toEqual({ missing: 'tool', known: [] });
    expect(catalog.lookup('n8n-nodes-base.slackTool', 2.3)).toMatchObject({
      found: { outputs: ['ai_tool'], inputs: [] },
    });
  });

  it('suggests names for an unknown name, and lists the known versions', () => {
    expect(() => catalog.describe('sluck')).toThrow(/Did you mean n8n-nodes-base.slack/);
    expect(() => catalog.describe('n8n-nodes-foo.slack')).toThrow(
      /no node type "n8n-nodes-foo.slack".*n8n sync --from/,
    );
    expect(() => catalog.describe('slack', 7)).toThrow('Use one of: 2.2, 2.3, 2.4.');
  });

  it('is equal after it is written to a file and read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'n8n-'));
    const file = saveCatalog(folder, EXAMPLE_CATALOG);
    const index = openIndex(file);
    expect(index.nodes.map((entry) => index.description(entry))).toEqual(EXAMPLE_CATALOG.nodes);
    expect(index.credentials.map((entry) => index.credential(entry))).toEqual(EXAMPLE_CATALOG.credentials);
    expect(statSync(file).size).toBeLessThan(20_000);
  });

  it.runIf(process.platform === 'linux')('is refused at once by a folder that cannot be created', () => {
    expect(() => saveCatalog('/proc/x', EXAMPLE_CATALOG)).toThrow('The folder /proc/x cannot be created');
  });

  it('is stored once per version of n8n', () => {
    const folder = mkdtempSync(join(tmpdir(), 'n8n-'));
    for (const version of ['2.41.3', '2.8.4', '2.8.1']) saveCatalog(folder, { ...EXAMPLE_CATALOG, version });
    expect(cachedVersions(folder)).toEqual(['2.8.1', '2.8.4', '2.41.3']);
    expect(openCatalog(folder).version).toBe('2.41.3');
    expect(openCatalog(folder, '2.8').version).toBe('2.8.4');
    expect(() => openCatalog(folder, '1.9')).toThrow('toolwright n8n sync 1.9');
    expect(byVersion('2.8.4', '2.10.0')).toBeLessThan(0);
  });

  it('rejects a file of another format', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'n8n-')), 'x.catalog');
    writeFileSync(file, '{}\n');
    expect(() => openIndex(file)).toThrow('is not a complete catalog of this version');
    writeIndex(file, EXAMPLE_CATALOG);
    expect(openIndex(file).version).toBe('2.8.4');
  });
});
