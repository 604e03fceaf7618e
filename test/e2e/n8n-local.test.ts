import { afterAll, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { n8nPlugin } from '../../packages/n8n/src/plugin.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { startFakeN8n } from '../fixtures/n8n-server.ts';

const SSN = '219-09-9999';
const EMAIL = 'ada@example.com';
const n8n = await startFakeN8n();
const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  sandbox: 'quickjs',
  tools: {
    crm: { tools: { person: { run: () => ({ email: EMAIL, ssn: SSN }) } } },
    hr: { tools: { person: { run: () => ({ email: EMAIL }) } } },
  },
  pii: { policy: { flows: { crm: [] } } },
  plugins: [n8nPlugin({ url: n8n.url, apiKey: n8n.key, catalog: 'example', policy: { write: true } })],
});
afterAll(async () => {
  await toolwright.close();
  await n8n[Symbol.asyncDispose]();
});

it('functions that send nothing accept every placeholder; functions that send follow the rules', async () => {
  const result = await toolwright.execute(`
    import * as workflows from './servers/n8n-workflows/index.js';
    const { email, ssn } = await callMCPTool('crm__person', {});
    const draft = await workflows.buildWorkflow('For a person', [
      { type: 'webhook', parameters: { path: 'in', httpMethod: 'POST' } },
      { type: 'set', parameters: { mode: 'raw', jsonOutput: email + ' ' + ssn } },
    ]);
    const { valid } = await workflows.validateWorkflow(draft);
    const { workflow } = await workflows.autofixWorkflow(draft);
    const refused = await workflows.createWorkflow(workflow).catch((error) => error.message);
    return [draft.nodes[1].parameters.jsonOutput === email + ' ' + ssn, valid, workflow.nodes[1].parameters.jsonOutput, refused];
  `);
  const value = result.status === 'completed' ? result.value : result;
  expect(value).toEqual([true, true, '[EMAIL_1] [SSN_1]', expect.stringContaining('cannot be restored')]);
  expect(JSON.stringify(result)).not.toContain(SSN);
  expect(n8n.requests).toEqual([]);
});

it('a draft with personal data is created by a later execution of the same user only', async () => {
  const run = (source: string, userId: string) =>
    toolwright.execute(`import * as workflows from './servers/n8n-workflows/index.js'; ${source}`, { userId });
  const built = await run(
    `return workflows.buildWorkflow('Mail', [
      { type: 'webhook', parameters: { path: 'mail' } },
      { type: 'set', parameters: { mode: 'raw', jsonOutput: (await callMCPTool('hr__person', {})).email } },
    ]);`,
    'ada',
  );
  const draft = JSON.stringify(built.status === 'completed' ? built.value : built);
  expect(draft).toMatch(/\[EMAIL_\d+\]/);
  const create = `return (await workflows.createWorkflow(${draft})).nodeCount;`;
  expect(await run(create, 'bob')).toMatchObject({ status: 'failed', error: { code: 'UNKNOWN_PLACEHOLDER' } });
  expect(n8n.requests).toEqual([]);
  expect(await run(create, 'ada')).toMatchObject({ status: 'completed', value: 2 });
  expect(JSON.stringify([...n8n.workflows.values()])).toContain(EMAIL);
});

it.each([
  "searchTemplates('slack')",
  "searchTemplates('slack', 3)",
  "searchTemplates({ nodes: ['slack'], limit: 3 })",
  'validateWorkflow(\'{"nodes":[],"connections":{}}\')',
  'validateWorkflow(\'{"nodes":[],"connections":{}}\', { level: "publish" })',
  'validateWorkflow({ nodes: [], connections: {} })',
  'autofixWorkflow(\'{"nodes":[],"connections":{}}\')',
])('%s passes the check before running', async (call) => {
  const server = call.startsWith('search') ? 'n8n-templates' : 'n8n-workflows';
  const name = call.slice(0, call.indexOf('('));
  const program = `import { ${name} } from './servers/${server}/index.js'; return await ${call};`;
  expect(await toolwright.check(program)).toMatchObject({ status: 'passed' });
});
