import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToolwright, type Toolwright } from '../../src/toolwright.ts';
import { temporaryFolder } from '../fixtures/heart.ts';
import { type LiveN8n, N8N_VERSION, startLiveN8n } from './instance.ts';

const SETUP_TIMEOUT_MS = 40 * 60_000;

let n8n: LiveN8n;
let toolwright: Toolwright;

beforeAll(async () => {
  n8n = await startLiveN8n();
  toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: 'quickjs',
    limits: { timeoutMs: 120_000 },
    n8n: {
      url: n8n.url,
      apiKey: n8n.apiKey,
      catalog: process.env.TOOLWRIGHT_N8N_CATALOG ?? 'example',
      policy: { write: true, allow: ['activate', 'execute', 'delete'] },
    },
  });
}, SETUP_TIMEOUT_MS);

afterAll(async () => {
  await toolwright?.close();
  await n8n?.[Symbol.asyncDispose]();
});

async function run(source: string): Promise<unknown> {
  const result = await toolwright.execute(source);
  if (result.status === 'completed') return result.value;
  throw new Error(result.status === 'failed' ? `${result.error.code}: ${result.error.message}` : 'stopped');
}

it(`n8n ${N8N_VERSION}: a workflow from guest code, from its creation to its deletion`, async () => {
  const value = await run(`
    import * as workflows from './servers/n8n-workflows/index.js';
    const draft = await workflows.buildWorkflow('Live', [
      { type: 'webhook', parameters: { path: 'live-echo', httpMethod: 'POST', responseMode: 'lastNode' } },
      {
        type: 'code',
        name: 'Double',
        parameters: { jsCode: "const { x } = $input.first().json.body; if (x > 100) throw new Error('too large'); return [{ json: { doubled: 2 * x } }];" },
      },
    ]);
    const checked = await workflows.validateWorkflow(draft);
    const created = await workflows.createWorkflow(draft);
    const { id } = created;
    await workflows.activateWorkflow(id);
    const good = await workflows.executeWorkflow(id, { x: 21 });
    const read = await workflows.getExecution(good.executionId, { mode: 'node', node: 'Double' });
    const bad = await workflows.executeWorkflow(id, { x: 101 });
    const again = await workflows.retryExecution(bad.executionId).catch((error) => ({ status: error.message }));
    await workflows.updateWorkflow(id, [{ op: 'rename', name: 'Live 2' }]);
    const after = await workflows.getWorkflow(id);
    const tagged = await workflows.setTags(id, ['toolwright']);
    await workflows.deactivateWorkflow(id);
    const gone = await workflows.deleteWorkflow(id);
    return {
      valid: checked.valid, created: created.nodeCount, status: good.status, output: good.output, items: read.items,
      failed: [bad.status, bad.error?.node, bad.error?.message], retried: again.status, renamed: after.name, tags: tagged.tags, gone: gone.deleted,
    };
  `);
  console.info(JSON.stringify(value, undefined, 2));
  expect(value).toMatchObject({
    valid: true,
    created: 2,
    status: 'success',
    output: { doubled: 42 },
    items: [[{ doubled: 42 }]],
    failed: ['error', 'Double', expect.stringContaining('too large')],
    renamed: 'Live 2',
    tags: ['toolwright'],
    gone: true,
  });
});

it('what n8n refuses is told in its own words', async () => {
  const refusal = await run(`
    import * as workflows from './servers/n8n-workflows/index.js';
    const { id } = await workflows.createWorkflow({ workflow: { name: 'Nothing', nodes: [], connections: {} } });
    try { await workflows.activateWorkflow(id); return 'published'; } catch (error) { return error.message; } finally { await workflows.deleteWorkflow(id); }
  `);
  expect(refusal).toContain('no trigger node');
});
