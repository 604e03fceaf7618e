import { describe, expect, it } from 'vitest';
import { webhookToSlack } from '../../bench/tokens/n8n.mjs';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { CATALOG_FILE, TEMPLATES_MISSING } from './templates.ts';

/** Everything that goes through the model for this task, its own words included. */
const MAX_TOKENS = 3_000;

describe.each([
  ['the example catalogue', 'example', undefined],
  ['the catalogue of n8n 2.8', CATALOG_FILE, TEMPLATES_MISSING],
])('webhook to Slack with %s', (_what, catalog, missing) => {
  it.skipIf(missing)(`takes at most ${MAX_TOKENS} tokens from discovery to the validated workflow`, async () => {
    const { tokens, verdict } = await webhookToSlack(createToolwright, catalog);
    expect(verdict).toEqual({ valid: true, publishable: true, errors: [], warnings: [], nodes: 2 });
    expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
  });
});
