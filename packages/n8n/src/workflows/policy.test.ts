import { describe, expect, it } from 'vitest';
import { ALL, type Created, ECHO, instance, published, serverOf } from '../../../../test/fixtures/n8n-instance.ts';
import type { N8nSettings } from '../settings.ts';

describe('the policy', () => {
  it('allows only reading by default', async () => {
    const { n8n, workflows } = await instance({ policy: {} });
    for (const [tool, args] of [
      ['createWorkflow', { workflow: ECHO }],
      ['updateWorkflow', { id: '1', operations: [] }],
      ['deleteWorkflow', { id: '1' }],
      ['activateWorkflow', { id: '1' }],
      ['executeWorkflow', { id: '1' }],
      ['setTags', { id: '1', tags: [] }],
    ] as const) {
      await expect(workflows.call(tool, args)).rejects.toMatchObject({
        code: 'NOT_ALLOWED',
        message: expect.stringContaining('n8n.policy'),
      });
    }
    expect(n8n.requests).toEqual([]);
  });

  it('requires a rule for dangerous actions, which may name one workflow', async () => {
    const { workflows } = await instance({ policy: { write: true, allow: ['activate:wf1'] } });
    const { id } = (await workflows.call('createWorkflow', ECHO)) as Created;
    expect(id).toBe('wf1');
    await workflows.call('activateWorkflow', { id });
    await expect(workflows.call('executeWorkflow', { id })).rejects.toThrow('"execute" or "execute:wf1"');
    await expect(workflows.call('deleteWorkflow', { id })).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  });

  it('counts a change of a published workflow as publishing', async () => {
    const { n8n, workflows } = await instance({ policy: { write: true } });
    const { id } = (await workflows.call('createWorkflow', ECHO)) as Created;
    Object.assign(n8n.workflows.get(id) ?? {}, { active: true });
    await expect(workflows.call('updateWorkflow', { id, operations: [] })).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    });
  });

  it('rejects nodes that access the machine, also as tools', async () => {
    const nodes = (type: string) => ({
      workflow: { ...ECHO, nodes: [...ECHO.nodes, { type, name: 'X', parameters: {} }] },
    });
    const { n8n, workflows } = await instance();
    for (const type of [
      'n8n-nodes-base.executeCommand',
      'n8n-nodes-base.ssh',
      'readWriteFile',
      'n8n-nodes-base.sshTool',
    ]) {
      await expect(workflows.call('createWorkflow', nodes(type))).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    }
    expect(n8n.requests).toEqual([]);
    const workflowData = nodes('n8n-nodes-base.ssh').workflow;
    n8n.executions.set('7', { id: '7', workflowId: 'wf1', status: 'error', workflowData });
    await expect(workflows.call('retryExecution', { id: '7' })).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    const { workflows: open } = await instance({ policy: { ...ALL, allowNodes: ['ssh'], denyNodes: ['code'] } });
    await expect(open.call('createWorkflow', { workflow: ECHO })).rejects.toThrow('code');
  });
});

describe('an error', () => {
  it('names the fix', async () => {
    const { n8n, workflows } = await instance();
    const other = (settings: N8nSettings) =>
      serverOf({ url: n8n.url, apiKey: n8n.key, ...settings }).call('health', {});
    await expect(other({ apiKey: 'wrong' })).rejects.toMatchObject({
      code: 'ACCESS_DENIED',
      message: expect.stringContaining('n8n.apiKey'),
    });
    await expect(other({ url: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringContaining('Start it'),
    });
    await expect(other({ url: undefined })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(other({ url: `${n8n.url}/wrong` })).rejects.toMatchObject({
      code: 'UPSTREAM_PROTOCOL',
      message: expect.stringContaining('Check that n8n.url is the address of n8n itself.'),
    });
    expect(await workflows.call('health', {})).toMatchObject({
      ok: true,
      workflows: 'none',
      allowed: ['read', 'write', 'activate', 'execute', 'delete'],
    });
  });

  it.each([
    ['hang', { code: 'TOOL_TIMEOUT', message: expect.stringContaining('did not answer within 2000 ms') }],
    [403, { code: 'ACCESS_DENIED', message: expect.stringContaining('no scope for PUT /workflows/') }],
    [503, { code: 'UPSTREAM_PROTOCOL', message: expect.stringContaining('HTTP 503') }],
  ] as const)('leaves a workflow unchanged when a change ends with %s', async (end, wanted) => {
    // Its other requests are answered in this time on a busy machine too.
    const { n8n, workflows } = await instance({ timeoutMs: 2_000 });
    const id = await published(workflows);
    const before = structuredClone(n8n.workflows.get(id));
    n8n.fault = (method) => (method === 'PUT' ? end : undefined);
    const operations = [{ op: 'rename', name: 'Other' }];
    await expect(workflows.call('updateWorkflow', { id, operations })).rejects.toMatchObject(wanted);
    expect(n8n.workflows.get(id)).toEqual(before);
  });

  it('names an n8n that is too old', async () => {
    const { n8n, workflows } = await instance();
    n8n.executions.set('7', { id: '7', workflowId: 'wf1', status: 'error', workflowData: ECHO });
    n8n.hasRetry = false;
    await expect(workflows.call('retryExecution', { id: '7' })).rejects.toMatchObject({
      code: 'NOT_SUPPORTED',
      message: expect.stringContaining('too old'),
    });
  });

  it('in the arguments is raised before any request', async () => {
    const { n8n, workflows } = await instance();
    const call = (tool: string, args: object) => workflows.call(tool, args as Record<string, unknown>);
    await expect(call('createWorkflow', { workflow: [ECHO] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('list[0]'),
    });
    await expect(call('createWorkflow', { workflow: '{"nodes": [' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
    await expect(call('createWorkflow', { workflow: { ...ECHO, x: 'y'.repeat(5_000_000) } })).rejects.toMatchObject({
      code: 'ARGUMENTS_TOO_LARGE',
    });
    await expect(call('createWorkflow', {})).rejects.toThrow('createWorkflow needs the argument workflow');
    await expect(call('updateWorkflow', { id: '1', operations: '{' })).rejects.toThrow('text that is not JSON');
    expect(n8n.requests).toEqual([]);
    expect(await call('createWorkflow', { workflow: JSON.stringify(ECHO) })).toMatchObject({ nodeCount: 2 });
  });
});
