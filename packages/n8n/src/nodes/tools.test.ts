import { describe, expect, it } from 'vitest';
import { inlineConnector } from '../../../connectors/src/inline/inline.ts';
import { countTokens } from '../../../core/src/telemetry/tokenizer.ts';
import { createNodeCatalog } from '../catalogs/catalog.ts';
import { EXAMPLE_CATALOG } from '../catalogs/example/catalog.ts';
import { indexOf } from '../catalogs/index-file.ts';
import { nodeTools } from './tools.ts';

const catalog = createNodeCatalog(indexOf(EXAMPLE_CATALOG));
const nodes = inlineConnector('n8n-nodes', { tools: nodeTools(() => catalog) });

describe('searchNodes', () => {
  it('finds types by name and by description', async () => {
    const first = async (query: string) =>
      ((await nodes.call('searchNodes', { query })) as { type: string }[])[0]?.type;
    expect(await first('slack')).toBe('n8n-nodes-base.slack');
    expect(await first('send a message to Slack')).toBe('n8n-nodes-base.slack');
    expect(await first('call a web API')).toBe('n8n-nodes-base.httpRequest');
    expect(await first('run every hour by cron')).toBe('n8n-nodes-base.scheduleTrigger');
  });

  it('filters by kind and source, given in options or at the top level', async () => {
    const triggers = await nodes.call('searchNodes', { query: 'starts when', options: { kind: 'trigger', limit: 2 } });
    expect(triggers).toHaveLength(2);
    expect(triggers).toMatchObject([{ kind: 'trigger' }, { kind: 'trigger' }]);
    const ai = (await nodes.call('searchNodes', { query: 'language model', source: 'langchain' })) as {
      type: string;
    }[];
    expect(ai.map(({ type }) => type)).toContain('@n8n/n8n-nodes-langchain.lmChatOpenAi');
  });

  it('returns five hits in at most 200 tokens', async () => {
    const hits = await nodes.call('searchNodes', { query: 'trigger webhook form schedule chat request answer' });
    expect(hits).toHaveLength(5);
    expect(countTokens(JSON.stringify(hits))).toBeLessThanOrEqual(200);
  });
});

describe('getNodeEssentials', () => {
  it('returns the operations, then the parameters of one operation', async () => {
    expect(await nodes.call('getNodeEssentials', { type: 'slack' })).toMatchObject({
      type: 'n8n-nodes-base.slack',
      typeVersion: 2.4,
      operations: { message: ['post', 'update', 'delete', 'search'] },
    });
    const one = await nodes.call('getNodeEssentials', {
      type: 'slack',
      options: { resource: 'message', operation: 'post' },
    });
    expect(one).toMatchObject({
      credentials: { slackApi: 'if authentication is "accessToken"' },
      required: { text: 'string', channelId: expect.stringContaining('if select is "channel"') },
    });
    expect(one).not.toHaveProperty('operations');
    expect(countTokens(JSON.stringify(one))).toBeLessThanOrEqual(250);
  });

  it('lists the operations of a node with one resource, and of a chosen resource', async () => {
    const essentials = (args: object) => nodes.call('getNodeEssentials', args as Record<string, unknown>);
    expect(await essentials({ type: 'googleSheets' })).toMatchObject({
      operations: { sheet: ['read', 'append', 'update'] },
    });
    const chosen = (await essentials({ type: 'slack', resource: 'channel' })) as { operations: object };
    expect(chosen.operations).toEqual({ channel: ['create', 'getAll', 'archive'] });
  });

  it('describes columns, authentication, and the items of each output', async () => {
    const essentials = (type: string, options: object = {}) => nodes.call('getNodeEssentials', { type, options });
    expect(await essentials('googleSheets', { operation: 'append' })).toMatchObject({
      required: { columns: '{mappingMode: "defineBelow"|"autoMapInputData", value: {<column>: value}, schema: []}' },
    });
    expect(await essentials('googleSheets', { operation: 'update' })).toMatchObject({
      required: { columns: expect.stringContaining('matchingColumns: string[]') },
    });
    expect(await essentials('httpRequest')).toMatchObject({
      required: { genericAuthType: 'string if authentication is "genericCredentialType"' },
      optional: { authentication: '"none"|"predefinedCredentialType"|"genericCredentialType" = "none"' },
    });
    expect(await essentials('if')).toMatchObject({
      outputs: { true: 'items that meet the conditions', false: 'all other items' },
    });
    expect(await essentials('splitInBatches')).toMatchObject({ outputs: { done: expect.stringContaining('once') } });
    expect(await essentials('agent')).toMatchObject({
      inputs: { ai_languageModel: 'Chat Model, required', ai_outputParser: 'if hasOutputParser is true' },
    });
    expect(await essentials('lmChatOpenAi')).toMatchObject({ outputs: { ai_languageModel: expect.any(String) } });
    expect(await essentials('noOp')).not.toHaveProperty('outputs');
  });

  it('suggests known names for a wrong name', async () => {
    const call = (args: object) => nodes.call('getNodeEssentials', args as Record<string, unknown>);
    await expect(call({ type: 'slak' })).rejects.toThrow('Did you mean n8n-nodes-base.slack');
    await expect(call({ type: 'slack', operation: 'pst' })).rejects.toThrow('Did you mean "post"');
    await expect(call({ type: 'slack', version: 9 })).rejects.toThrow('Use one of: 2.2, 2.3, 2.4');
    await expect(call({ type: 'slack', operatoin: 'post' })).rejects.toThrow(
      'has no argument "operatoin". Did you mean operation?',
    );
    await expect(call({ type: 'slack', options: '{' })).rejects.toThrow('text that is not JSON');
    await expect(call({ type: 'slack', options: '{"operation":"post"}' })).resolves.toMatchObject({ typeVersion: 2.4 });
  });
});

describe('the other tools', () => {
  it('return all facts about one parameter', async () => {
    expect(await nodes.call('getNodeProperty', { type: 'httpRequest', path: 'options.timeout' })).toMatchObject({
      path: 'options.timeout',
      type: 'number',
      default: 10_000,
    });
    await expect(nodes.call('getNodeProperty', { type: 'httpRequest', path: 'options.timeot' })).rejects.toThrow(
      'options.timeout',
    );
  });

  it('return the JSON Schema of one operation', async () => {
    const schema = await nodes.call('getNodeSchema', { type: 'slack', resource: 'message', operation: 'post' });
    expect(schema).toMatchObject({
      required: expect.arrayContaining(['text']),
      properties: { operation: { const: 'post' }, otherOptions: { properties: { mrkdwn: { type: 'boolean' } } } },
    });
  });

  it('list credential types without values, and compare versions', async () => {
    expect(await nodes.call('listCredentialTypes', { type: 'webhook' })).toMatchObject([
      { name: 'httpBasicAuth', required: true, fields: ['user', 'password'] },
      { name: 'httpHeaderAuth' },
    ]);
    const compared = await nodes.call('compareVersions', { type: 'set', from: 3, to: 3.4 });
    expect(compared).toEqual({ type: 'n8n-nodes-base.set', from: 3, to: 3.4, added: [], removed: [], changed: [] });
  });
});
