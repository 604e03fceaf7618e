import { describe, expect, it } from 'vitest';
import { type Created, ECHO, instance, published } from '../../../../../test/fixtures/n8n-instance.ts';

describe('an execution', () => {
  it('starts by the webhook and returns the finished result', async () => {
    const { n8n, workflows } = await instance();
    n8n.webhookMs = 150;
    const id = await published(workflows);
    expect(await workflows.call('executeWorkflow', { id, input: { x: 21 } })).toMatchObject({
      executionId: expect.any(String),
      status: 'success',
      output: { doubled: 42 },
      nodes: [
        { name: 'Webhook', items: 1 },
        { name: 'Code', items: 1 },
      ],
    });
  });

  it('is not one of a sub-workflow that it calls', async () => {
    const { n8n, workflows } = await instance();
    const id = await published(workflows);
    n8n.fault = (_method, pathname) => {
      const inner = { id: '1', workflowId: id, status: 'success', mode: 'integrated', data: {} };
      if (pathname.startsWith('/webhook/')) n8n.executions.set('1', inner);
      return undefined;
    };
    const run = await workflows.call('executeWorkflow', { id, input: {} });
    expect(run).toMatchObject({ nodes: [{ name: 'Webhook' }, { name: 'Code' }] });
  });

  it('reports the failed node and error, and can be retried', async () => {
    const { workflows } = await instance();
    const nodes = [...ECHO.nodes.slice(0, 1), { ...ECHO.nodes[1], name: 'Fails' }];
    const id = await published(workflows, {
      ...ECHO,
      nodes,
      connections: { Webhook: { main: [[{ node: 'Fails', type: 'main', index: 0 }]] } },
    });
    const run = (await workflows.call('executeWorkflow', { id, input: {} })) as { executionId: string };
    expect(run).toMatchObject({
      status: 'error',
      error: { node: 'Fails', message: 'It broke', hint: 'Look at the input' },
    });
    const { executionId } = run;
    expect(await workflows.call('getExecution', { id: executionId, mode: 'errors' })).toMatchObject({
      nodes: [{ name: 'Fails' }],
    });
    expect(await workflows.call('getExecution', { id: executionId, node: 'Webhook' })).toMatchObject({
      items: [[{ got: {} }]],
    });
    await expect(workflows.call('getExecution', { id: executionId, mode: 'node', node: 'X' })).rejects.toThrow(
      'Use one of the nodes that ran: Webhook, Fails',
    );
    expect(await workflows.call('listExecutions', { workflowId: id })).toMatchObject({
      executions: [{ id: executionId, status: 'error' }],
    });
    expect(await workflows.call('retryExecution', { id: executionId })).toMatchObject({ status: 'error' });
    const retried = await workflows.call('retryExecution', { id: executionId, options: { loadWorkflow: true } });
    expect(retried).toMatchObject({ status: 'success' });
  });

  it('sends the input in the format of a form or a chat', async () => {
    const { workflows } = await instance();
    const one = (type: string, name: string, parameters: object) => ({
      ...ECHO,
      nodes: [{ type, name, parameters }, ECHO.nodes[1]],
      connections: {},
    });
    const form = await published(
      workflows,
      one('formTrigger', 'Form', { formTitle: 'T', path: 'ask', formFields: { values: [{ fieldLabel: 'Name' }] } }),
    );
    expect(await workflows.call('executeWorkflow', { id: form, input: { Name: 'Ada' } })).toMatchObject({
      status: 'success',
    });
    const chat = await published(workflows, one('chatTrigger', 'Chat', { public: true }));
    const { executionId } = (await workflows.call('executeWorkflow', { id: chat, input: 'Hello' })) as {
      executionId: string;
    };
    expect(await workflows.call('getExecution', { id: executionId, node: 'Webhook' })).toMatchObject({
      items: [[{ got: { action: 'sendMessage', chatInput: 'Hello' } }]],
    });
  });

  it('is rejected without a callable trigger, unpublished, or with a cycle', async () => {
    const { n8n, workflows } = await instance();
    const timer = await published(workflows, {
      ...ECHO,
      nodes: [{ type: 'scheduleTrigger', name: 'At', parameters: {} }],
      connections: {},
    });
    await expect(workflows.call('executeWorkflow', { id: timer })).rejects.toThrow('add a webhook node');
    const draft = (await workflows.call('createWorkflow', ECHO)) as Created;
    await expect(workflows.call('executeWorkflow', { id: draft.id })).rejects.toThrow('Call activateWorkflow first');
    const cyclic = {
      ...ECHO,
      connections: { ...ECHO.connections, Code: { main: [[{ node: 'Code', type: 'main', index: 0 }]] } },
    };
    const { id } = (await workflows.call('createWorkflow', { workflow: cyclic })) as Created;
    await expect(workflows.call('activateWorkflow', { id })).rejects.toThrow('never leave it');
    const webhooks = n8n.requests.filter((request) => request.includes('/webhook/'));
    expect(webhooks).toEqual([]);
  });

  it('stops waiting after the timeout', async () => {
    const { n8n, workflows } = await instance();
    const id = await published(workflows);
    n8n.webhookMs = 5_000;
    await expect(
      workflows.call('executeWorkflow', { id, input: {}, options: { timeoutMs: 200 } }),
    ).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' });
  });

  it('never sends a request outside the instance', async () => {
    const { n8n, workflows } = await instance();
    const id = await published(workflows);
    for (const path of ['../../api/v1/workflows', 'x/../../rest/login', '%2e%2e/healthz']) {
      const [webhook] = (n8n.workflows.get(id) as { nodes: { parameters: { path: string } }[] }).nodes;
      if (webhook) webhook.parameters.path = path;
      const before = n8n.requests.length;
      await expect(workflows.call('executeWorkflow', { id, input: {} })).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
      expect(n8n.requests.slice(before)).toEqual([`GET /api/v1/workflows/${id}`]);
    }
  });
});
