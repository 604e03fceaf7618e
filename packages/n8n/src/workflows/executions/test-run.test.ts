import { describe, expect, it } from 'vitest';
import { ECHO, instance, serverOf } from '../../../../../test/fixtures/n8n-instance.ts';
import type { FakeN8n } from '../../../../../test/fixtures/n8n-server.ts';

const SCHEDULED = {
  ...ECHO,
  nodes: [{ type: 'scheduleTrigger', name: 'Daily' }, ...ECHO.nodes.slice(1)],
  connections: { Daily: { main: [[{ node: 'Code', type: 'main', index: 0 }]] } },
};
const TESTS = { write: true, allow: ['activate:test', 'execute:test'] };

/** Keeps each created workflow as it was sent. */
function watchCopies(n8n: FakeN8n): Record<string, unknown>[] {
  const copies: Record<string, unknown>[] = [];
  const { set } = n8n.workflows;
  n8n.workflows.set = (id, workflow) => {
    copies.push(structuredClone(workflow));
    return set.call(n8n.workflows, id, workflow);
  };
  return copies;
}

describe('a test of a draft', () => {
  it('runs a copy at an address of its own, returns the items of each node, and removes the copy', async () => {
    const { n8n, workflows } = await instance({ policy: TESTS });
    const copies = watchCopies(n8n);
    expect(await workflows.call('testWorkflow', { workflow: ECHO, input: { x: 21 } })).toMatchObject({
      status: 'success',
      trigger: 'Webhook',
      output: { doubled: 42 },
      nodes: [
        { name: 'Webhook', run: 0, items: [[{ got: { x: 21 } }]] },
        { name: 'Code', run: 0, items: [[{ doubled: 42 }]] },
      ],
      notRun: [],
    });
    expect(await workflows.call('testWorkflow', ECHO)).toMatchObject({ status: 'success' });
    const [copy] = copies as [{ name: string; settings: object; nodes: { parameters: { path?: string } }[] }];
    expect(copy.name).toMatch(/^Toolwright test [0-9a-f-]{36}: Echo$/);
    expect(copy.nodes[0]?.parameters.path).not.toBe('echo');
    expect(n8n.workflows.size).toBe(0);
  });

  it('starts other triggers by a call, and replaces pinned nodes and other triggers', async () => {
    const { n8n, workflows } = await instance({ policy: TESTS });
    const copies = watchCopies(n8n);
    const nodes = [...SCHEDULED.nodes, { type: 'webhook', name: 'Other', parameters: { path: 'real' } }];
    await workflows.call('testWorkflow', {
      workflow: { ...SCHEDULED, nodes, settings: { errorWorkflow: 'real' }, pinData: { Gone: [{ a: 1 }] } },
      options: {
        via: 'Daily',
        input: [{ n: 1 }, { n: 2 }],
        pinData: { Code: { json: { __proto__: null, done: true } } },
      },
    });
    const [copy] = copies as [{ settings: object; connections: object; nodes: Record<string, unknown>[] }];
    expect(copy.settings).not.toHaveProperty('errorWorkflow');
    expect(copy.nodes).toMatchObject([
      { name: 'Daily', type: 'n8n-nodes-base.code' },
      { name: 'Code', parameters: { jsCode: String.raw`return JSON.parse("[{\"json\":{\"done\":true}}]");` } },
      { name: 'Other', disabled: true },
      { name: 'Start of the test', type: 'n8n-nodes-base.webhook' },
    ]);
    expect(copy.connections).toMatchObject({ 'Start of the test': { main: [[{ node: 'Daily' }]] } });
  });

  it('refuses data that no node has, and a workflow that nothing starts', async () => {
    const { n8n, workflows } = await instance();
    const refused = (workflow: object, options: object) => workflows.call('testWorkflow', { workflow, options });
    await expect(refused(ECHO, { pinData: { Cod: [] } })).rejects.toThrow(/no node "Cod".*Code/);
    await expect(refused(ECHO, { pinData: { Code: [5] } })).rejects.toThrow(/an item is an object/);
    await expect(refused(ECHO, { via: 'Code' })).rejects.toThrow(/no trigger "Code". Use one of: "Webhook"/);
    await expect(refused({ ...ECHO, nodes: ECHO.nodes.slice(1), connections: {} }, {})).rejects.toThrow(/no trigger/);
    await expect(refused(SCHEDULED, { input: {}, pinData: { Daily: [{}] } })).rejects.toThrow(/omit input/);
    expect(n8n.requests).toEqual([]);
  });

  it('needs an instance, and the right to publish and run tests', async () => {
    const call = (settings: object) => serverOf(settings).call('testWorkflow', { workflow: ECHO });
    await expect(call({ policy: TESTS })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('No n8n instance is configured'),
    });
    const { n8n } = await instance();
    const given = { url: n8n.url, apiKey: n8n.key };
    for (const policy of [{}, { write: true }, { write: true, allow: ['execute'] }, { ...TESTS, denyNodes: ['code'] }])
      await expect(call({ ...given, policy })).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    expect(n8n.requests).toEqual([]);
  });
});

describe('the copy of a test', () => {
  it('is removed when n8n does not publish it, and when it does not finish in time', async () => {
    const { n8n, workflows } = await instance();
    n8n.fault = (_method, pathname) => (/activate|publish/.test(pathname) ? 400 : undefined);
    await expect(workflows.call('testWorkflow', { workflow: ECHO })).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    expect(n8n.workflows.size).toBe(0);
    n8n.fault = undefined;
    n8n.webhookMs = 5_000;
    const late = workflows.call('testWorkflow', { workflow: ECHO, options: { timeoutMs: 300 } });
    await expect(late).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' });
    expect(n8n.workflows.size).toBe(0);
  });

  it('is removed when the answer to its creation is lost', async () => {
    const { n8n, workflows } = await instance();
    n8n.fault = (method, pathname) => (method === 'POST' && pathname.endsWith('/workflows') ? 'lost' : undefined);
    const failed = workflows.call('testWorkflow', { workflow: ECHO });
    await expect(failed).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(n8n.requests).toContain('DELETE /api/v1/workflows/wf1');
    expect(n8n.workflows.size).toBe(0);
  });

  it('is named when it cannot be removed', async () => {
    const { n8n, workflows } = await instance();
    n8n.fault = (method) => (method === 'DELETE' ? 403 : undefined);
    expect(await workflows.call('testWorkflow', { workflow: ECHO })).toMatchObject({
      status: 'success',
      problems: [expect.stringMatching(/The copy wf1 could not be removed: .*Delete the workflow wf1/)],
    });
  });

  it('is removed by a later test when its process was ended', async () => {
    const { n8n, workflows } = await instance();
    const test = () => workflows.call('testWorkflow', { workflow: ECHO });
    const copies = watchCopies(n8n);
    n8n.fault = (method) => (method === 'DELETE' ? 403 : undefined);
    await test();
    n8n.fault = undefined;
    const [{ name } = {}] = copies;
    for (const own of [`${name} and more`, 'Toolwright test of a user: Echo', `My ${name}`])
      await workflows.call('createWorkflow', { workflow: { ...ECHO, name: own } });
    n8n.now = '2026-01-01T00:14:00.000Z';
    await test();
    expect(n8n.workflows.size).toBe(4);
    n8n.now = '2026-01-01T00:16:00.000Z';
    await test();
    expect([...n8n.workflows.values()].map((workflow) => workflow.name)).toEqual([
      'Toolwright test of a user: Echo',
      `My ${name}`,
    ]);
  });
});
