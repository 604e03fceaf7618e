import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { openCatalog } from '../../packages/n8n/src/catalogs/folder.ts';
import { syncCatalog } from '../../packages/n8n/src/catalogs/sync.ts';
import { n8nPlugin } from '../../packages/n8n/src/plugin.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { CATALOG_FILE, needsCatalog } from '../n8n/templates.ts';
import { describeFindings } from './findings.ts';
import { type LiveN8n, N8N_VERSION, startLiveN8n } from './instance.ts';
import { describeRequests } from './request-runs.ts';
import { describeVerdicts } from './verdicts.ts';

const SETUP_TIMEOUT_MS = 40 * 60_000;

let n8n: LiveN8n;
let toolwright: Toolwright;

beforeAll(async () => {
  n8n = await startLiveN8n();
  toolwright = await open(n8n.apiKey);
}, SETUP_TIMEOUT_MS);

afterAll(async () => {
  await toolwright?.close();
  await n8n?.[Symbol.asyncDispose]();
});

function open(apiKey: string): Promise<Toolwright> {
  return createToolwright({
    dataDir: temporaryFolder(),
    sandbox: 'quickjs',
    limits: { timeoutMs: 120_000 },
    plugins: [
      n8nPlugin({
        url: n8n.url,
        apiKey,
        catalog: existsSync(CATALOG_FILE) ? CATALOG_FILE : 'example',
        policy: { write: true, allow: ['activate', 'execute', 'delete'] },
      }),
    ],
  });
}

/**
 * Returns the value of a guest program. The program has the functions on workflows, and `refusal`, which returns an
 * error's message.
 */
async function run(body: string, by: Toolwright = toolwright): Promise<unknown> {
  const result = await by.execute(`
    import * as workflows from './servers/n8n-workflows/index.js';
    const refusal = async (call) => { try { await call(); return 'nothing was refused'; } catch (error) { return error.message; } };
    ${body}
  `);
  if (result.status === 'completed') return result.value;
  throw new Error(result.status === 'failed' ? `${result.error.code}: ${result.error.message}` : 'stopped');
}

it(`n8n ${N8N_VERSION}: a workflow from guest code, from its creation to its deletion`, async () => {
  const value = await run(`
    const draft = await workflows.buildWorkflow('Live', [
      { type: 'webhook', parameters: { path: 'live-echo', httpMethod: 'POST', responseMode: 'lastNode' } },
      {
        type: 'code',
        name: 'Double',
        parameters: { jsCode: "const { x } = $input.first().json.body; if (x > 100) throw new Error('too large'); return [{ json: { doubled: 2 * x } }];" },
      },
    ]);
    const checked = await workflows.validateWorkflow(draft);
    const { id, nodeCount, publishable } = await workflows.createWorkflow(draft);
    const published = await workflows.activateWorkflow(id);
    const good = await workflows.executeWorkflow(id, { x: 21 });
    const read = await workflows.getExecution(good.executionId, { mode: 'node', node: 'Double' });
    const bad = await workflows.executeWorkflow(id, { x: 101 });
    const again = await workflows.retryExecution(bad.executionId);
    const jsCode = 'return [{ json: { doubled: 2 * $input.first().json.body.x } }];';
    const changed = await workflows.updateWorkflow(id, [
      { op: 'rename', name: 'Live 2' },
      { op: 'updateNode', name: 'Double', parameters: { jsCode } },
    ]);
    const retried = await workflows.retryExecution(bad.executionId, { loadWorkflow: true });
    const { executions } = await workflows.listExecutions({ workflowId: id });
    const tagged = await workflows.setTags(id, ['toolwright']);
    const { workflows: found } = await workflows.listWorkflows({ tags: 'toolwright', active: true });
    const unpublished = await workflows.deactivateWorkflow(id);
    const gone = await workflows.deleteWorkflow(id);
    return {
      validated: [checked.valid, checked.publishable], created: { nodeCount, publishable }, published: published.active,
      webhook: { status: good.status, output: good.output, nodes: good.nodes.map(({ name, items }) => name + ': ' + items) },
      execution: read.items, failed: { status: bad.status, error: bad.error }, retried: again.status,
      changed: [changed.name, changed.active], retriedAfterwards: retried.status, executions: executions.map(({ mode, status }) => mode + ': ' + status),
      tags: tagged.tags, found: found.map(({ name }) => name), unpublished: !unpublished.active, gone: gone.deleted,
    };
  `);
  console.info(JSON.stringify(value, undefined, 2));
  expect(value).toEqual({
    validated: [true, true],
    created: { nodeCount: 2, publishable: true },
    published: true,
    webhook: { status: 'success', output: { doubled: 42 }, nodes: ['Webhook: 1', 'Double: 1'] },
    execution: [[{ doubled: 42 }]],
    failed: { status: 'error', error: { node: 'Double', message: 'too large [line 1]' } },
    retried: 'error',
    changed: ['Live 2', true],
    retriedAfterwards: 'success',
    executions: ['retry: success', 'retry: error', 'webhook: error', 'webhook: success'],
    tags: ['toolwright'],
    found: ['Live 2'],
    unpublished: true,
    gone: true,
  });
});

it('forms and chats start workflows too', async () => {
  const value = await run(`
    const answers = [];
    for (const [start, input, code] of [
      [{ type: 'formTrigger', parameters: { formTitle: 'T', formFields: { values: [{ fieldLabel: 'Name' }, { fieldLabel: 'Age', fieldType: 'number' }] } } }, { Name: 'Ada', Age: 36 }, 'return [{ json: { got: [$json.Name, $json.Age] } }]'],
      [{ type: 'chatTrigger', parameters: { public: true, options: {} } }, 'Hello', 'return [{ json: { got: $json.chatInput } }]'],
      [{ type: 'webhook', parameters: { path: 'live-get', responseMode: 'lastNode' } }, { q: 'a b' }, 'return [{ json: { got: $json.query.q } }]'],
    ]) {
      const draft = await workflows.buildWorkflow('Start', [start, { type: 'code', name: 'Say', parameters: { jsCode: code } }]);
      const { id } = await workflows.createWorkflow(draft);
      await workflows.activateWorkflow(id);
      const { executionId, status } = await workflows.executeWorkflow(id, input);
      const { items } = await workflows.getExecution(executionId, { mode: 'node', node: 'Say' });
      answers.push([status, items[0][0].got]);
      await workflows.deleteWorkflow(id);
    }
    return answers;
  `);
  expect(value).toEqual([
    ['success', ['Ada', 36]],
    ['success', 'Hello'],
    ['success', 'a b'],
  ]);
});

it('an error of n8n keeps its message, and a refused change of a published workflow is reverted', async () => {
  const [empty, change, after, conflict, missing] = (await run(`
    const bare = await workflows.createWorkflow({ workflow: { name: 'Nothing', nodes: [], connections: {} } });
    const empty = await refusal(() => workflows.activateWorkflow(bare.id));
    const { id, versionId } = await workflows.createWorkflow(await workflows.buildWorkflow('Kept', [{ type: 'webhook', parameters: { path: 'kept' } }, 'noOp']));
    await workflows.activateWorkflow(id);
    const change = await refusal(() => workflows.updateWorkflow(id, [{ op: 'removeNode', name: 'Webhook' }]));
    const after = await workflows.getWorkflow(id, { mode: 'structure' });
    const { status } = await workflows.executeWorkflow(id);
    const conflict = await refusal(() => workflows.updateWorkflow(id, [{ op: 'rename', name: 'Lost' }], { versionId }));
    for (const each of [bare.id, id]) await workflows.deleteWorkflow(each);
    const missing = await refusal(() => workflows.getWorkflow(id));
    return [empty, change, { active: after.active, connections: after.connections, status }, conflict, missing];
  `)) as [string, string, object, string, string];
  expect(empty).toContain('no trigger node');
  expect(change).toMatch(/no trigger node.*restored the previous workflow/s);
  expect(after).toEqual({ active: true, connections: ['Webhook -> No Operation, do nothing'], status: 'success' });
  expect(conflict).toContain('changed by another user');
  expect(missing).toContain('n8n has no workflow');
});

it('workflows that call others report whether those are published', async () => {
  const value = await run(`
    const callee = await workflows.createWorkflow(await workflows.buildWorkflow('Callee', [{ type: 'webhook', parameters: { path: 'callee' } }]));
    const call = { type: 'executeWorkflow', typeVersion: 1.2, parameters: { workflowId: { __rl: true, mode: 'id', value: callee.id } } };
    const draft = await workflows.buildWorkflow('Caller', [{ type: 'webhook', parameters: { path: 'caller' } }, call]);
    const before = await workflows.createWorkflow(draft);
    const refused = await refusal(() => workflows.activateWorkflow(before.id));
    await workflows.activateWorkflow(callee.id);
    const after = await workflows.createWorkflow(draft);
    const { active } = await workflows.activateWorkflow(after.id);
    for (const { id } of [after, before, callee]) await workflows.deleteWorkflow(id);
    return [before.publishable, refused.includes('is not published'), after.publishable, active];
  `);
  expect(value).toEqual([false, true, true, true]);
});

it('lists have pages, and a wrong key or id is reported with the fix', async () => {
  const value = await run(`
    const ids = [];
    for (const name of ['P1', 'P2', 'P3']) ids.push((await workflows.createWorkflow(await workflows.buildWorkflow(name, ['manualTrigger']))).id);
    const names = [];
    let cursor;
    do {
      const page = await workflows.listWorkflows(cursor === undefined ? { limit: 2 } : { limit: 2, cursor });
      names.push(page.workflows.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    for (const id of ids) await workflows.deleteWorkflow(id);
    const { ok, allowed } = await workflows.health();
    return [names.map(({ length }) => length), names.flat().sort(), ok, allowed, await refusal(() => workflows.getExecution('no-such'))];
  `);
  expect(value).toEqual([
    [2, 1],
    ['P1', 'P2', 'P3'],
    true,
    ['read', 'write', 'activate', 'execute', 'delete'],
    expect.stringContaining('must be number'),
  ]);
  const stranger = await open('wrong');
  expect(await run('return refusal(() => workflows.health())', stranger)).toContain('does not accept the API key');
  await stranger.close();
});

needsCatalog.it('a draft is run as a copy, which is removed', async () => {
  const value = await run(`
    const code = (name, jsCode) => ({ type: 'code', name, parameters: { jsCode } });
    const draft = await workflows.buildWorkflow('Tested', [
      { type: 'scheduleTrigger', name: 'Daily' },
      { type: 'httpRequest', name: 'Fetch', parameters: { url: 'https://example.invalid' } },
      code('Sum', "return [{ json: { sum: $input.all().reduce((sum, { json }) => sum + json.n, $('Daily').first().json.start) } }];"),
    ]);
    const good = await workflows.testWorkflow(draft, { input: { start: 10 }, pinData: { Fetch: [{ n: 1 }, { n: 2 }] } });
    const failing = await workflows.buildWorkflow('Failing', ['manualTrigger', code('Break', "throw new Error('broken');"), 'noOp']);
    const bad = await workflows.testWorkflow(failing);
    const waiting = await workflows.buildWorkflow('Waiting', ['manualTrigger', { type: 'wait', name: 'Wait', parameters: { amount: 20, unit: 'seconds' } }]);
    const late = await workflows.testWorkflow(waiting, { timeoutMs: 2000 });
    const unpublished = await workflows.buildWorkflow('Refused', ['webhook', { type: 'slack', name: 'Post' }]);
    const refused = await refusal(() => workflows.testWorkflow(unpublished));
    const { workflows: left } = await workflows.listWorkflows();
    return {
      good: [good.status, good.nodes.map(({ name, items }) => [name, items])], bad: [bad.status, bad.error, bad.notRun],
      late: [late.notRun, late.problems], refused, left,
    };
  `);
  expect(value).toMatchObject({
    good: [
      'success',
      [
        ['Daily', [[{ start: 10 }]]],
        ['Fetch', [[{ n: 1 }, { n: 2 }]]],
        ['Sum', [[{ sum: 13 }]]],
      ],
    ],
    bad: ['error', { node: 'Break', message: 'broken [line 1]' }, ['No Operation, do nothing']],
    late: [['Wait'], [expect.stringContaining('did not finish within 2000 ms')]],
    refused: expect.stringContaining('Missing required credential: slackApi'),
    left: [],
  });
});

it('data tables are created, filled, changed, read and deleted, and workflows are audited', async () => {
  const value = await run(`
    const name = 'T' + Date.now();
    const { id } = await workflows.createDataTable(name, [{ name: 'who', type: 'string' }, { name: 'n', type: 'number' }]);
    const { tables } = await workflows.listDataTables();
    const added = await workflows.addDataTableRows(id, [{ who: 'A', n: 1 }, { who: 'B', n: 5 }]);
    const changed = await workflows.addDataTableRows(id, [{ n: 6 }], { where: { who: 'B' } });
    await workflows.addDataTableRows(id, [{ who: 'C', n: 9 }], { where: { who: 'C' }, isUpsert: true });
    const read = await workflows.getDataTableRows(id, { where: { n: { gte: 6 } }, sortBy: 'n:desc' });
    const removed = await workflows.deleteDataTableRows(id, { who: 'A' });
    const { rows: kept } = await workflows.getDataTableRows(id);
    await workflows.deleteDataTable(id);
    const { tables: left } = await workflows.listDataTables();
    const open = await workflows.createWorkflow(await workflows.buildWorkflow('Open', [{ type: 'webhook', parameters: { path: 'open' } }]));
    const { risks, instance, problems } = await workflows.auditWorkflows();
    await workflows.deleteWorkflow(open.id);
    return [tables.some((table) => table.name === name && table.columns.length === 2), added.rows.length, changed.rows.map(({ n }) => n), read.rows.map(({ who }) => who), removed.rows.map(({ who }) => who), kept.length, left, risks.map(({ code }) => code), instance.length > 0, problems];
  `);
  expect(value).toEqual([true, 2, [6], ['C', 'B'], ['A'], 2, [], ['OPEN_TRIGGER'], true, null]);
});

it('a catalog is read from the instance', async () => {
  const folder = temporaryFolder();
  const { nodeTypes, version } = await syncCatalog(folder, { from: [n8n.url], user: n8n.user });
  expect(version).toBe(N8N_VERSION);
  expect(nodeTypes).toBeGreaterThan(500);
  const catalog = openCatalog(folder);
  expect(catalog.describe('slack', 2.2).name).toBe('n8n-nodes-base.slack');
  // The instance of the tests has no community packages.
  expect(catalog.community).toEqual([]);
});

it('a deleted credential is an error before anything is written', async () => {
  const id = await n8n.stubCredential('slackApi');
  const headers = { 'x-n8n-api-key': n8n.apiKey };
  const value = (deleted: boolean) =>
    run(`
      const slack = { type: 'slack', name: 'Post', parameters: { select: 'channel', channelId: { __rl: true, mode: 'id', value: 'C1' }, text: 'hi' }, credentials: { slackApi: { id: '${id}', name: 'Stub' } } };
      const draft = await workflows.buildWorkflow('Credential', [{ type: 'webhook', parameters: { path: 'credential' } }, slack]);
      const { id, problems } = await workflows.createWorkflow(draft);
      const answers = [problems.length];
      if (${deleted}) answers.push(await refusal(() => workflows.activateWorkflow(id)), await refusal(() => workflows.testWorkflow(draft)));
      else answers.push((await workflows.activateWorkflow(id)).active);
      answers.push((await workflows.getWorkflow(id)).active);
      await workflows.deleteWorkflow(id);
      return [...answers, (await workflows.listWorkflows()).workflows.length];
    `);
  expect(await value(false)).toEqual([0, true, true, 0]);
  await fetch(`${n8n.url}/api/v1/credentials/${id}`, { method: 'DELETE', headers });
  const refusal = expect.stringContaining('"Post" uses the credential');
  expect(await value(true)).toEqual([1, refusal, refusal, false, 0]);
});

describeRequests(() => n8n);
describeFindings(() => n8n);
describeVerdicts(() => n8n);
