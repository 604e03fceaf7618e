import { describe, expect, it } from 'vitest';
import { type Created, instance } from '../../../../../test/fixtures/n8n-instance.ts';

const AGENT = {
  name: 'Chat',
  nodes: [
    { type: 'webhook', name: 'In', typeVersion: 2, parameters: { path: 'chat' } },
    { type: 'agent', name: 'Agent', parameters: { text: '={{ $json.body.text }}', promptType: 'define' } },
    { type: 'lmChatOpenAi', name: 'Model', credentials: { openAiApi: { id: '1', name: 'o' } } },
    { type: 'code', name: "It's", parameters: { jsCode: "const all = $('Agent').all();\nreturn all;" } },
  ],
  connections: {
    In: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
    Agent: { main: [[{ node: "It's", type: 'main', index: 0 }]] },
    Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
  },
};

interface Answer extends Created {
  readonly publishable: boolean;
  readonly problems: readonly string[];
  readonly dropped?: readonly string[];
  readonly changes: Readonly<Record<string, readonly string[]>>;
}

/** Returns an instance with the credentials of the tests. */
async function withCredentials() {
  const { n8n, workflows } = await instance();
  for (const id of ['1', '2']) n8n.credentials.set(id, { id, name: 'o', type: 'openAiApi' });
  return { n8n, workflows };
}

async function edited(...operations: object[]): Promise<{ answer: Answer; stored: () => unknown }> {
  const { n8n, workflows } = await withCredentials();
  const { id } = (await workflows.call('createWorkflow', { workflow: AGENT })) as Created;
  const answer = (await workflows.call('updateWorkflow', { id, operations })) as Answer;
  return { answer, stored: () => n8n.workflows.get(id) };
}

describe('an edit of a stored workflow', () => {
  it('names the connections that removing and adding a node loses', async () => {
    const { answer } = await edited(
      { op: 'removeNode', name: 'Agent' },
      { op: 'addNode', node: { type: 'agent', name: 'Agent' }, after: 'In' },
    );
    expect(answer.problems).toEqual([
      expect.stringContaining('"Agent -> It\'s" is gone. Use replaceNode'),
      expect.stringContaining('"Model (ai_languageModel) -> Agent" is gone'),
    ]);
  });

  it('keeps connections of every kind when it replaces a node', async () => {
    const { answer, stored } = await edited(
      { op: 'replaceNode', name: 'Agent', node: { type: 'agent', parameters: { text: 'Hi', promptType: 'define' } } },
      { op: 'replaceNode', name: 'Model', node: { type: 'lmChatOpenAi', credentials: { openAiApi: { id: '2' } } } },
    );
    expect(answer).toMatchObject({ publishable: true, problems: [] });
    expect(stored()).toMatchObject({
      connections: AGENT.connections,
      nodes: [{}, { parameters: { text: 'Hi' } }, {}, {}],
    });
  });

  it('names the connections that do not fit the new node', async () => {
    const { answer } = await edited({ op: 'replaceNode', name: 'Agent', node: { type: 'noOp' } });
    expect(answer.problems).toEqual([expect.stringContaining('"Model (ai_languageModel) -> Agent" is gone')]);
  });

  it('replaces one part of a text, and refuses a part that is there twice or not', async () => {
    const patch = {
      op: 'replaceText',
      name: "It's",
      path: 'jsCode',
      find: 'return all',
      replace: 'return all.slice(1)',
    };
    const { stored } = await edited(patch);
    expect(stored()).toMatchObject({
      nodes: [{}, {}, {}, { parameters: { jsCode: "const all = $('Agent').all();\nreturn all.slice(1);" } }],
    });
    await expect(edited({ ...patch, find: 'all' })).rejects.toThrow('has "all" 3 times, not once');
    await expect(edited({ ...patch, find: 'none' })).rejects.toThrow('0 times');
    await expect(edited({ ...patch, path: 'python' })).rejects.toThrow('not a text');
  });

  it('renames references with every kind of quote', async () => {
    const { stored } = await edited(
      { op: 'updateNode', name: 'Agent', set: { text: "={{ $('It\\'s').first() }} {{ $node[\"It's\"].json.a }}" } },
      { op: 'renameNode', name: "It's", to: "The 'last' one" },
    );
    expect(stored()).toMatchObject({
      nodes: [
        {},
        { parameters: { text: "={{ $('The \\'last\\' one').first() }} {{ $node[\"The 'last' one\"].json.a }}" } },
        {},
        {},
      ],
    });
  });

  it.each([
    ['through a text', { 'jsCode.x': 1 }, 'leads through'],
    ['to a prototype', { 'options.__proto__': 1 }, 'not a path'],
  ])('refuses a path %s', async (_what, set, why) => {
    await expect(edited({ op: 'updateNode', name: "It's", set })).rejects.toThrow(why);
  });

  it('refuses settings that the API does not accept', async () => {
    await expect(edited({ op: 'settings', settings: { timezon: 'UTC' } })).rejects.toThrow('Did you mean "timezone"');
  });

  it('leaves nodes alone that it does not name, also those that n8n would complete', async () => {
    const { n8n, workflows } = await withCredentials();
    const { id } = (await workflows.call('createWorkflow', { workflow: AGENT })) as Created;
    const stored = n8n.workflows.get(id) as unknown as { nodes: Record<string, unknown>[] };
    const [webhook = {}] = stored.nodes;
    delete webhook.webhookId;
    delete webhook.typeVersion;
    webhook.type = 'n8n-nodes-foo.webhook';
    const before = structuredClone(webhook);
    await workflows.call('updateWorkflow', { id, operations: [{ op: 'rename', name: 'Other' }] });
    expect((n8n.workflows.get(id) as unknown as typeof stored).nodes[0]).toEqual(before);
  });
});

describe('a value that the API does not accept', () => {
  it('is named when a workflow is created or fixed', async () => {
    const { workflows } = await withCredentials();
    const workflow = {
      ...AGENT,
      id: 'x',
      active: true,
      meta: { instanceId: 'y' },
      pinData: { In: [{ json: { a: 1 } }] },
      nodeGroups: [{ name: 'g' }],
      staticData: null,
      tags: [],
      settings: { executionOrder: 'v1', bogus: true },
    };
    const dropped = ['pinData', 'nodeGroups', 'settings.bogus'];
    expect(await workflows.call('createWorkflow', { workflow })).toMatchObject({ problems: [], dropped });
    const { fixes } = (await workflows.call('autofixWorkflow', { workflow })) as { fixes: string[] };
    expect(dropped.map((path) => `left out ${path}: n8n's API does not accept it`)).toEqual(
      fixes.filter((fix) => fix.startsWith('left out')),
    );
    expect(await workflows.call('createWorkflow', { workflow: AGENT })).not.toHaveProperty('dropped');
    await expect(
      workflows.call('buildWorkflow', { name: 'x', nodes: ['webhook'], settings: { bogus: true } }),
    ).rejects.toThrow('settings has no key "bogus"');
  });
});
