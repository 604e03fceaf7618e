import { expect, it } from 'vitest';
import { type Created, instance } from '../../../../test/fixtures/n8n-instance.ts';

const message = (credentials: object, rest: object = {}) => ({
  type: 'slack',
  name: 'Post',
  parameters: { select: 'channel', channelId: { __rl: true, mode: 'name', value: '#x' }, text: 'hi' },
  credentials,
  ...rest,
});
const DELETED = { slackApi: { id: 'gone', name: 'Old' } };
const GONE = '"Post" uses the credential "gone" of type slackApi, which n8n does not have: its execution fails.';

async function open(...nodes: readonly object[]) {
  const { n8n, workflows } = await instance();
  n8n.credentials.set('c1', { id: 'c1', name: 'Mine', type: 'slackApi' });
  const all = [{ type: 'webhook', parameters: { path: 'in' } }, ...nodes];
  const workflow = (await workflows.call('buildWorkflow', { name: 'W', nodes: all })) as object;
  return { n8n, workflows, workflow };
}

it('reports a deleted credential in the problems of a workflow', async () => {
  const { workflows, workflow } = await open(message(DELETED));
  const created = (await workflows.call('createWorkflow', { workflow })) as Created;
  expect(created).toMatchObject({ publishable: true, problems: [expect.stringContaining(GONE)] });
  const operations = [{ op: 'updateNode', name: 'Post', set: { text: 'ho' } }];
  expect(await workflows.call('updateWorkflow', { id: created.id, operations })).toMatchObject({
    problems: [expect.stringContaining('Choose one of listCredentials({ type: "slackApi" }).')],
  });
});

it('neither publishes nor tests a workflow with a deleted credential', async () => {
  const { n8n, workflows, workflow } = await open(message(DELETED));
  const { id } = (await workflows.call('createWorkflow', { workflow })) as Created;
  const wanted = { code: 'TOOL_FAILED', message: expect.stringContaining(GONE) };
  n8n.requests.length = 0;
  await expect(workflows.call('activateWorkflow', { id })).rejects.toMatchObject(wanted);
  await expect(workflows.call('testWorkflow', { workflow })).rejects.toMatchObject(wanted);
  expect(n8n.requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
  expect([...n8n.workflows.values()].map(({ active }) => active)).toEqual([false]);
  const pinData = { Post: [{ ok: true }] };
  expect(await workflows.call('testWorkflow', { workflow, options: { pinData } })).toMatchObject({ status: 'success' });
});

it.each([
  ['that exist', message({ slackApi: { id: 'c1' } })],
  ['of a disabled node', message(DELETED, { disabled: true })],
  ['that the parameters do not select', message({ slackApi: { id: 'c1' }, slackOAuth2Api: { id: 'gone' } })],
])('accepts credentials %s', async (_which, node) => {
  const { workflows, workflow } = await open(node);
  const created = (await workflows.call('createWorkflow', { workflow })) as Created;
  expect(created).toMatchObject({ problems: [] });
  expect(await workflows.call('activateWorkflow', { id: created.id })).toMatchObject({ active: true });
});

it('leaves the decision to n8n if the key may not list credentials', async () => {
  const { n8n, workflows, workflow } = await open(message(DELETED));
  n8n.fault = (_method, pathname) => (pathname.endsWith('/credentials') ? 403 : undefined);
  const { id } = (await workflows.call('createWorkflow', { workflow })) as Created;
  expect(await workflows.call('activateWorkflow', { id })).toMatchObject({ active: true });
});
