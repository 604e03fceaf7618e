import { afterAll, expect, it } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { n8nPlugin } from '../../packages/n8n/src/plugin.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { startFakeN8n } from '../fixtures/n8n-server.ts';

const n8n = await startFakeN8n();
const toolwright = await createToolwright({
  dataDir: temporaryFolder(),
  sandbox: 'quickjs',
  plugins: [n8nPlugin({ url: n8n.url, apiKey: n8n.key, catalog: 'example', policy: { write: true } })],
});
afterAll(async () => {
  await toolwright.close();
  await n8n[Symbol.asyncDispose]();
});

const SLACK = {
  type: 'slack',
  parameters: {
    select: 'channel',
    channelId: { __rl: true, mode: 'name', value: '#alerts' },
    text: 'Hi {{ $json.body.x }}',
  },
};

async function run(source: string): Promise<unknown> {
  const result = await toolwright.execute(source);
  if (result.status === 'completed') return result.value;
  throw new Error(result.status === 'failed' ? result.error.message : 'stopped');
}

it('the skill of the plugin is found, and builds workflows', async () => {
  const { text } = await toolwright.search('build a workflow for n8n');
  expect(text).toContain('run_skill("n8n-workflow-builder"');
  expect(await run("return load_skill('n8n-workflow-builder')")).toContain('# Building n8n workflows');

  const steps = [{ type: 'webhook', parameters: { path: 'a' } }, SLACK];
  const missing = await run(
    `return run_skill('n8n-workflow-builder', ${JSON.stringify({ name: 'A', steps, create: true })})`,
  );
  expect(missing).toMatchObject({
    ready: false,
    nodes: ['Webhook', 'Send a message'],
    fixes: ['"Send a message": changed text to an expression'],
    problems: [expect.stringContaining('The credential slackApi is missing. Set credentials.slackApi')],
  });
  expect(n8n.workflows.size).toBe(0);

  const whole = [steps[0], { ...SLACK, credentials: { slackApi: { id: '1', name: 'Slack' } } }];
  const made = await run(
    `return run_skill('n8n-workflow-builder', ${JSON.stringify({ name: 'A', steps: whole, create: true })})`,
  );
  expect(made).toMatchObject({ ready: true, problems: [], id: expect.any(String) });
  expect(n8n.workflows.size).toBe(1);
});
