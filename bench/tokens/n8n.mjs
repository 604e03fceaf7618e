// One complete n8n task, from discovery to the validated workflow: a webhook that posts to Slack. Counts all input and output
// of the model.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { n8nPlugin } from '@toolwright/n8n';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const TASK = 'Make an n8n workflow: when a webhook is called, post its text to the Slack channel #alerts. Validate it.';
const QUERIES = ['find n8n nodes', 'build an n8n workflow', 'validate an n8n workflow'];
const EXPLORE = `import * as nodes from './servers/n8n-nodes/index.js';
const [webhook] = await nodes.searchNodes('webhook trigger', { kind: 'trigger', limit: 2 });
const [slack] = await nodes.searchNodes('send a message to slack', { limit: 3 });
return {
  webhook: await nodes.getNodeEssentials(webhook.type),
  slack: await nodes.getNodeEssentials(slack.type, { resource: 'message', operation: 'post' }),
};`;
const BUILD = `import * as workflows from './servers/n8n-workflows/index.js';
const draft = await workflows.buildWorkflow('Alerts', [
  { type: 'webhook', parameters: { httpMethod: 'POST', path: 'alerts' } },
  {
    type: 'slack',
    parameters: {
      resource: 'message', operation: 'post', select: 'channel',
      channelId: { __rl: true, mode: 'name', value: '#alerts' }, text: '={{ $json.body.text }}',
    },
    credentials: { slackApi: { id: '1', name: 'Slack' } },
  },
]);
const { valid, publishable, errors, warnings } = await workflows.validateWorkflow(draft);
return { valid, publishable, errors, warnings, nodes: draft.nodes.length };`;

/** Runs the task with a catalog. Returns the tokens and the validation result of the workflow. */
export async function webhookToSlack(createToolwright, catalog) {
  const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-n8n-'));
  const toolwright = await createToolwright({ plugins: [n8nPlugin({ catalog })], dataDir, sandbox: 'quickjs' });
  try {
    const spoken = [TASK, JSON.stringify({ queries: QUERIES }), (await toolwright.search(QUERIES, { limit: 2 })).text];
    let verdict;
    for (const program of [EXPLORE, BUILD]) {
      const result = await toolwright.execute(program);
      verdict = result.status === 'completed' ? result.value : result;
      spoken.push(program, JSON.stringify(verdict));
    }
    const parts = spoken.map((text) => countTokens(text));
    return { tokens: parts.reduce((sum, each) => sum + each, 0), parts, verdict };
  } finally {
    await toolwright.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
