import { describe, expect, it } from 'vitest';
import { type Created, ECHO, instance, published } from '../../../../test/fixtures/n8n-instance.ts';

describe('a stored workflow', () => {
  it('is created without rejected keys, completed and read back', async () => {
    const { n8n, workflows } = await instance();
    const created = (await workflows.call('createWorkflow', ECHO)) as Created;
    expect(created).toMatchObject({ name: 'Echo', active: false, nodeCount: 2, publishable: true, problems: [] });
    expect(n8n.workflows.get(created.id)).toMatchObject({
      settings: { executionOrder: 'v1' },
      nodes: [
        { type: 'n8n-nodes-base.webhook', typeVersion: 2.1, webhookId: expect.any(String), position: [0, 0] },
        { id: expect.any(String), position: [224, 0] },
      ],
    });
    expect(JSON.stringify(n8n.workflows.get(created.id))).not.toContain('cid');
  });

  it('is returned as a summary, as its structure or in full', async () => {
    const { workflows } = await instance();
    const { id } = (await workflows.call('createWorkflow', ECHO)) as Created;
    const summary = await workflows.call('getWorkflow', { id });
    expect(summary).toMatchObject({ id, nodeCount: 2, triggers: ['Webhook (n8n-nodes-base.webhook)'] });
    expect(summary).not.toHaveProperty('nodes');
    const structure = await workflows.call('getWorkflow', { id, options: { mode: 'structure' } });
    expect(structure).toMatchObject({ connections: ['Webhook -> Code'] });
    expect(JSON.stringify(structure)).not.toContain('jsCode');
    expect(await workflows.call('getWorkflow', { id, mode: 'full' })).toMatchObject({
      nodes: [{}, { parameters: { jsCode: 'return items;' } }],
    });
  });

  it('returns to an earlier version, and lists the changes since it', async () => {
    const { n8n, workflows } = await instance();
    const { id, versionId } = (await workflows.call('createWorkflow', ECHO)) as Created;
    const operations = [
      { op: 'updateNode', name: 'Code', parameters: { jsCode: 'return [];' } },
      { op: 'disconnect', from: 'Webhook', to: 'Code' },
      { op: 'rename', name: 'New' },
    ];
    await workflows.call('updateWorkflow', { id, operations });
    const program = (from: string, to: string) => `Code: parameters.jsCode: "${from}" → "${to}"`;
    expect(await workflows.call('getWorkflow', { id, options: { mode: 'changes', versionId } })).toMatchObject({
      changes: { changed: [program('return items;', 'return [];')], removed: ['link Webhook -> Code'] },
    });
    expect(await workflows.call('restoreWorkflow', { id, versionId })).toMatchObject({
      name: 'New',
      publishable: true,
      problems: [],
      changes: { changed: [program('return [];', 'return items;')], added: ['link Webhook -> Code'] },
    });
    expect(n8n.workflows.get(id)).toMatchObject({ nodes: [{}, { parameters: { jsCode: 'return items;' } }] });
    const unknown = workflows.call('restoreWorkflow', { id, versionId: 'v99' });
    await expect(unknown).rejects.toThrow(/no version v99/);
    for (const options of [{ mode: 'changes' }, { mode: 'full', versionId }])
      await expect(workflows.call('getWorkflow', { id, options })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });

  it('uses credentials that are listed by id and name, and by nothing else', async () => {
    const { n8n, workflows } = await instance();
    for (let n = 1; n <= 300; n++)
      n8n.credentials.set(`c${n}`, {
        id: `c${n}`,
        name: `Key ${n}`,
        type: n === 290 ? 'slackApi' : 'httpHeaderAuth',
        shared: [{ name: 'a@b.test' }],
        data: { value: 'secret' },
      });
    expect(await workflows.call('listCredentials', { type: 'slackApi' })).toEqual({
      credentials: [{ id: 'c290', name: 'Key 290', type: 'slackApi' }],
    });
    const { credentials, nextCursor } = (await workflows.call('listCredentials', { limit: 2 })) as {
      credentials: object[];
      nextCursor: string;
    };
    expect(credentials).toEqual([1, 2].map((n) => ({ id: `c${n}`, name: `Key ${n}`, type: 'httpHeaderAuth' })));
    expect(await workflows.call('listCredentials', { limit: 1, cursor: nextCursor })).toMatchObject({
      credentials: [{ id: 'c3' }],
    });
    n8n.fault = (_method, pathname) => (pathname.endsWith('/credentials') ? 403 : undefined);
    await expect(workflows.call('listCredentials', {})).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
  });

  it('is changed by operations, unless another user changed it', async () => {
    const { n8n, workflows } = await instance();
    const { id, versionId } = (await workflows.call('createWorkflow', ECHO)) as Created;
    const operations = [
      { op: 'addNode', node: { type: 'set', name: 'Tidy' }, after: 'Code' },
      { op: 'updateNode', name: 'Code', parameters: { jsCode: "return $('Webhook').all()" } },
      { op: 'renameNode', name: 'Webhook', to: 'In' },
      { op: 'updateNode', name: 'In', set: { 'options.responseContentType': 'text/plain' } },
      { op: 'rename', name: 'Echo 2' },
    ];
    const changed = await workflows.call('updateWorkflow', { id, operations, options: { versionId } });
    expect(changed).toMatchObject({ name: 'Echo 2', nodeCount: 3 });
    expect((changed as { changes: object }).changes).toEqual({
      added: ['node Tidy (set)', 'link Code -> Tidy'],
      changed: [
        'name: "Echo" → "Echo 2"',
        'In: name: "Webhook" → "In"',
        'In: parameters.options: nothing → {"responseContentType":"text/plain"}',
        'Code: parameters.jsCode: "return items;" → "return $(\'In\').all()"',
      ],
    });
    const removal = [
      { op: 'disconnect', from: 'Code', to: 'Tidy' },
      { op: 'removeNode', name: 'Tidy' },
    ];
    const { changes } = (await workflows.call('updateWorkflow', { id, operations: removal })) as { changes: object };
    expect(changes).toEqual({ removed: ['node Tidy (set)', 'link Code -> Tidy'] });
    expect(await workflows.call('updateWorkflow', { id, operations: [] })).toMatchObject({ changes: {} });
    await workflows.call('updateWorkflow', { id, operations: operations.slice(0, 1) });
    expect(n8n.workflows.get(id)).toMatchObject({
      nodes: [
        { name: 'In', parameters: { path: 'echo', options: { responseContentType: 'text/plain' } } },
        { parameters: { jsCode: "return $('In').all()" } },
        { name: 'Tidy' },
      ],
      connections: { In: { main: [[{ node: 'Code' }]] }, Code: { main: [[{ node: 'Tidy' }]] } },
    });
    await expect(workflows.call('updateWorkflow', { id, operations: [], versionId })).rejects.toThrow(
      'changed by another user',
    );
    await expect(
      workflows.call('updateWorkflow', { id, operations: [{ op: 'removeNode', name: 'Cod' }] }),
    ).rejects.toThrow('Did you mean "Code"');
    await expect(workflows.call('updateWorkflow', { id, operations: [{ op: 'replace' }] })).rejects.toThrow(
      'Use one of: addNode',
    );
  });

  it('is restored when n8n rejects a change of the published version', async () => {
    const { n8n, workflows } = await instance();
    const id = await published(workflows);
    const operations = [{ op: 'removeNode', name: 'Webhook' }];
    await expect(workflows.call('updateWorkflow', { id, operations })).rejects.toThrow(
      /no trigger node.*restored the previous workflow/s,
    );
    expect(n8n.workflows.get(id)).toMatchObject({ active: true, nodes: [{ name: 'Webhook' }, { name: 'Code' }] });
    const loop = [{ op: 'connect', from: 'Code', to: 'Code' }];
    const before = n8n.requests.length;
    await expect(workflows.call('updateWorkflow', { id, operations: loop })).rejects.toThrow('never leave it');
    expect(n8n.requests.slice(before)).toEqual([`GET /api/v1/workflows/${id}`]);
  });

  it('is validated with the state of the workflows that it calls', async () => {
    const { workflows } = await instance();
    const callee = (await workflows.call('createWorkflow', ECHO)) as Created;
    const call = (id: string) => ({ type: 'executeWorkflow', name: id, parameters: { workflowId: { value: id } } });
    const workflow = { ...ECHO, name: 'Caller', nodes: [ECHO.nodes[0], call(callee.id), call('nowhere')] };
    const problems = async () =>
      ((await workflows.call('createWorkflow', { workflow })) as { problems: string[] }).problems.map((problem) =>
        problem.slice(0, 40),
      );
    expect(await problems()).toHaveLength(2);
    await workflows.call('activateWorkflow', { id: callee.id });
    expect(await problems()).toEqual([expect.stringContaining('"nowhere": The called workflow "nowhere"')]);
  });

  it('is listed page by page, tagged and deleted', async () => {
    const { n8n, workflows } = await instance();
    for (let number = 0; number < 3; number++)
      await workflows.call('createWorkflow', { workflow: { ...ECHO, name: `E${number}` } });
    const first = (await workflows.call('listWorkflows', { limit: 2 })) as { workflows: Created[]; nextCursor: string };
    expect(first.workflows).toHaveLength(2);
    expect(await workflows.call('listWorkflows', { options: { limit: 2, cursor: first.nextCursor } })).toMatchObject({
      workflows: [{ name: 'E2' }],
    });
    const id = first.workflows[0]?.id ?? '';
    expect(await workflows.call('setTags', { id, tags: ['a', 'b'] })).toEqual({ id, tags: ['a', 'b'] });
    expect(await workflows.call('listTags', {})).toMatchObject([{ name: 'a' }, { name: 'b' }]);
    expect(await workflows.call('deleteWorkflow', { id })).toEqual({ id, deleted: true });
    expect(n8n.workflows.has(id)).toBe(false);
    await expect(workflows.call('getWorkflow', { id })).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining(`no workflow ${id}`),
    });
  });

  it('raises an error when n8n stores different content', async () => {
    const { n8n, workflows } = await instance();
    n8n.forgetful = true;
    await expect(workflows.call('createWorkflow', { workflow: ECHO })).rejects.toThrow('stored different content');
  });

  it.each([false, true])('is published and unpublished (newer n8n: %s)', async (modern) => {
    const { n8n, workflows } = await instance({}, modern);
    const id = await published(workflows);
    expect(n8n.workflows.get(id)?.active).toBe(true);
    expect(await workflows.call('deactivateWorkflow', { id })).toMatchObject({ active: false });
    const bare = (await workflows.call('createWorkflow', {
      workflow: { name: 'x', nodes: [], connections: {} },
    })) as Created;
    await expect(workflows.call('activateWorkflow', { id: bare.id })).rejects.toThrow(
      'The response of n8n: Workflow cannot be activated',
    );
  });
});
