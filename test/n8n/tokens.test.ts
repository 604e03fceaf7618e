import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { createToolwright } from '../../src/toolwright.ts';
import { temporaryFolder } from '../fixtures/heart.ts';
import { CATALOG_FILE, TEMPLATES_MISSING } from './templates.ts';

/** Everything that goes through the model for this task, its own words included. */
const MAX_TOKENS = 3_000;

const TASK = 'Make an n8n workflow: when a webhook is called, post its text to the Slack channel #alerts. Validate it.';
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

describe.each([
  ['the example catalogue', 'example', undefined],
  ['the catalogue of n8n 2.8', CATALOG_FILE, TEMPLATES_MISSING],
])('webhook to Slack with %s', (_what, catalog, missing) => {
  it.skipIf(missing)(`takes at most ${MAX_TOKENS} tokens from discovery to the validated workflow`, async () => {
    await using toolwright = await createToolwright({
      n8n: { catalog },
      dataDir: temporaryFolder(),
      sandbox: 'quickjs',
    });
    const spoken: string[] = [TASK];
    const queries = ['find n8n nodes', 'build an n8n workflow', 'validate an n8n workflow'];
    spoken.push(JSON.stringify({ queries }), (await toolwright.search(queries, { limit: 2 })).text);
    for (const program of [EXPLORE, BUILD]) {
      const result = await toolwright.execute(program);
      spoken.push(program, JSON.stringify(result.status === 'completed' ? result.value : result));
    }
    expect(JSON.parse(spoken.at(-1) ?? '')).toEqual({
      valid: true,
      publishable: true,
      errors: [],
      warnings: [],
      nodes: 2,
    });
    const tokens = spoken.map((text) => countTokens(text));
    const total = tokens.reduce((sum, each) => sum + each, 0);
    console.info(`webhook to Slack: ${total} tokens (${tokens.join(', ')})`);
    expect(total).toBeLessThanOrEqual(MAX_TOKENS);
  });
});
