import { expect, it } from 'vitest';
import { webhookToSlack } from '../../bench/tokens/n8n.mjs';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { CATALOG_FILE, needsTemplates } from './templates.ts';

/** All tokens that the model reads and writes for this task. */
const MAX_TOKENS = 3_000;

async function testTokens(catalog: string): Promise<void> {
  const { tokens, verdict } = await webhookToSlack(createToolwright, catalog);
  expect(verdict).toEqual({ valid: true, publishable: true, errors: [], warnings: [], nodes: 2 });
  expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
}

const title = `webhook to Slack takes at most ${MAX_TOKENS} tokens from discovery to the validated workflow`;
it(`${title}, with the example catalog`, () => testTokens('example'));
needsTemplates.it(`${title}, with the catalog of n8n 2.8`, () => testTokens(CATALOG_FILE));
