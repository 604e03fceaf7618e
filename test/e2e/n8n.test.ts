import { afterAll, describe, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { n8nPlugin } from '../../packages/n8n/src/plugin.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { startFakeN8n } from '../fixtures/n8n-server.ts';
import { needsPlainPython, plainPythonSandbox, withoutPython } from '../fixtures/plain-python.ts';
import { warmQuickjs } from '../fixtures/warm-sandbox.ts';

const n8n = await startFakeN8n();
const settings = {
  plugins: [
    n8nPlugin({
      url: n8n.url,
      apiKey: n8n.key,
      catalog: 'example',
      policy: { write: true, allow: ['activate', 'execute', 'delete'] },
    }),
  ],
};
const toolwright = await createToolwright({ ...settings, dataDir: temporaryFolder(), sandbox: warmQuickjs() });
const python =
  withoutPython === undefined
    ? await createToolwright({ ...settings, dataDir: temporaryFolder(), sandbox: plainPythonSandbox() })
    : undefined;
afterAll(async () => {
  await Promise.all([toolwright.close(), python?.close()]);
  await n8n[Symbol.asyncDispose]();
});

async function run(source: string, language: 'typescript' | 'python' = 'typescript'): Promise<unknown> {
  const result = await (language === 'python' ? python : toolwright)?.execute(source, { language });
  if (result?.status === 'completed') return result.value;
  throw new Error(result?.status === 'failed' ? `${result.error.code}: ${result.error.message}` : 'stopped');
}

describe('a TypeScript program', () => {
  it('calls the n8n servers by position and by object', async () => {
    const value = await run(`
      import * as nodes from './servers/n8n-nodes/index.js';
      const [hit] = await nodes.searchNodes('slack');
      const same = await nodes.searchNodes({ query: 'slack', limit: 1 });
      const essentials = await nodes.getNodeEssentials('slack', { resource: 'message', operation: 'post' });
      const flat = await nodes.getNodeEssentials({ type: 'nodes-base.slack', resource: 'message', operation: 'post' });
      return [hit.type, same.length, JSON.stringify(essentials) === JSON.stringify(flat), Object.keys(essentials.required)];
    `);
    expect(value).toEqual(['n8n-nodes-base.slack', 1, true, ['select', 'text', 'channelId', 'user']]);
  });

  it('builds, creates, publishes, runs, reads and deletes a workflow', async () => {
    const value = await run(`
      import * as workflows from './servers/n8n-workflows/index.js';
      const draft = await workflows.buildWorkflow('Echo', [
        { type: 'webhook', parameters: { path: 'guest-echo', httpMethod: 'POST', responseMode: 'lastNode' } },
        { type: 'code', name: 'Code', parameters: { jsCode: 'return items;' } },
      ]);
      const checked = await workflows.validateWorkflow(draft);
      const published = await workflows.validateWorkflow(draft, { level: 'publish' });
      const { id } = await workflows.createWorkflow(draft);
      await workflows.activateWorkflow(id);
      const run = await workflows.executeWorkflow(id, { x: 21 });
      const read = await workflows.getExecution(run.executionId, { mode: 'node', node: 'Code' });
      await workflows.deactivateWorkflow(id);
      const gone = await workflows.deleteWorkflow(id);
      return [checked.valid, published.publishable, run.status, run.output, read.items, gone.deleted];
    `);
    expect(value).toEqual([true, true, 'success', { doubled: 42 }, [[{ doubled: 42 }]], true]);
  });

  it('receives the codes of errors, with the fix', async () => {
    const value = await run(`
      const validateWorkflow = (args) => callMCPTool('n8n-workflows__validateWorkflow', args);
      const failure = async (call) => { try { await call(); } catch (error) { return error.message; } };
      return [await failure(() => validateWorkflow({ workflow: '{"nodes"' })), await failure(() => validateWorkflow({ workflow: '[]' }))];
    `);
    expect(value).toEqual([
      expect.stringContaining('text that is not JSON'),
      expect.stringContaining('Expected one workflow'),
    ]);
  });

  it('may pass a workflow as text, and receives the fix for other text, for lists and for large workflows', async () => {
    const value = await run(`
      const call = (name, args) => callMCPTool('n8n-workflows__' + name, args);
      const failure = async (name, args) => { try { await call(name, args); return 'taken'; } catch (error) { return error.message; } };
      const nodes = [{ type: 'webhook', parameters: { path: 'text', httpMethod: 'POST' } }, { type: 'code', parameters: { jsCode: 'return items;' } }];
      const draft = await call('buildWorkflow', { name: 'Text', nodes });
      const { id } = await call('createWorkflow', { workflow: JSON.stringify(draft) });
      await call('activateWorkflow', { id });
      const { status } = await call('executeWorkflow', { id, input: '{"x": 21}' });
      await call('deleteWorkflow', { id });
      const huge = { ...draft, nodes: [{ ...draft.nodes[0], notes: 'x'.repeat(5_000_000) }] };
      return [
        status,
        await failure('buildWorkflow', { name: 'Text', nodes: JSON.stringify(nodes) }),
        await failure('createWorkflow', { workflow: [draft] }),
        await failure('validateWorkflow', { workflow: huge }),
      ];
    `);
    expect(value).toEqual([
      'success',
      expect.stringMatching(/nodes: expected .*got string.*Use callMCPTool/s),
      expect.stringContaining('Use callMCPTool("n8n-workflows__createWorkflow"'),
      expect.stringMatching(/5\d{6} bytes, the limit is/),
    ]);
  });

  it('finds them by search_tools, with types', async () => {
    const { text } = await toolwright.search('validate an n8n workflow');
    expect(text).toContain('callMCPTool("n8n-workflows__validateWorkflow"');
    expect(text).toContain('workflow?: object | string');
    const { text: nodes } = await toolwright.search('find n8n node types');
    expect(nodes).toContain('n8n-nodes__searchNodes');
  });
});

needsPlainPython.describe('a Python program', () => {
  it('calls them too', async () => {
    const value = await run(
      [
        'from servers.n8n_nodes import search_nodes, get_node_essentials',
        'from servers.n8n_workflows import build_workflow, validate_workflow',
        'hit = (await search_nodes("slack"))[0]',
        'essentials = await get_node_essentials("slack", {"resource": "message", "operation": "post"})',
        'draft = await build_workflow(name="W", nodes=[{"type": "webhook", "parameters": {"path": "p"}}, "noOp"])',
        'checked = await validate_workflow(draft)',
        'strict = await validate_workflow(draft, {"level": "publish"})',
        '[hit["type"], list(essentials["required"]), checked["valid"], strict["publishable"]]',
      ].join('\n'),
      'python',
    );
    expect(value).toEqual(['n8n-nodes-base.slack', ['select', 'text', 'channelId', 'user'], true, true]);
  });
});
