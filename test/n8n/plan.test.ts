import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, expect, it } from 'vitest';
import type { NodeCatalog } from '../../packages/n8n/src/catalogs/catalog.ts';
import { nodeEssentials } from '../../packages/n8n/src/nodes/essentials.ts';
import { planWorkflow } from '../../packages/n8n/src/nodes/plan.ts';
import { createNodeSearch, type NodeSearch } from '../../packages/n8n/src/nodes/search.ts';
import type { Selection } from '../../packages/n8n/src/nodes/visible.ts';
import { JOBS } from './jobs.ts';
import { needsTemplates, openRealCatalog } from './templates.ts';

/** Tokens of the plans, compared with the tokens of one search per node and one description per service. */
const MAX_SHARE = 0.6;

const tokensOf = (value: unknown) => countTokens(JSON.stringify(value));

needsTemplates.describe('plans of workflows', () => {
  let catalog: NodeCatalog;
  let search: NodeSearch;
  // Skipped tests open no catalog.
  beforeAll(() => {
    catalog = openRealCatalog();
    search = createNodeSearch(catalog);
  });

  it.each(Object.entries(JOBS))('%s has the right nodes and operations', (_name, { request, nodes }) => {
    const plan = planWorkflow(request, catalog, search);
    const chosen = plan.nodes.map(({ type, resource, operation }) =>
      [type, resource, operation].filter(Boolean).join(' '),
    );
    expect(chosen).toEqual(
      nodes.map(({ type, resource, operation }) => [type, resource, operation].filter(Boolean).join(' ')),
    );
    expect(plan.problems).toBeUndefined();
  });

  it('leave undecided steps open, and report a missing start', () => {
    const [teams, discord, telegram] = planWorkflow(
      ['send a message to Microsoft Teams and wait for the response', 'post to Discord', 'notify me on Telegram'],
      catalog,
      search,
    ).nodes;
    expect(teams).toMatchObject({ type: 'microsoftTeams', operation: 'sendAndWait' });
    expect(discord).toMatchObject({ type: 'discord', resource: 'message', operation: 'send' });
    expect(telegram).toMatchObject({
      type: 'telegram',
      operations: { message: expect.arrayContaining(['sendMessage']) },
    });
    expect(telegram).not.toHaveProperty('operation', expect.anything());
    const { nodes, problems } = planWorkflow(
      'Read rows from Google Sheets, and then send each by Gmail',
      catalog,
      search,
    );
    expect(nodes.map(({ type, operation }) => `${type} ${operation}`)).toEqual(['googleSheets read', 'gmail send']);
    expect(problems).toEqual([expect.stringContaining('No step starts the workflow')]);
    for (const request of ['', [], ' , . ', Array(21).fill('webhook')])
      expect(() => planWorkflow(request, catalog, search)).toThrow(/requires 1 to 20 steps/);
  });

  it(`take at most ${MAX_SHARE * 100} % of the tokens of searches and essentials`, () => {
    const jobs = Object.values(JOBS);
    const before = jobs.flatMap(({ request, nodes }) => [
      ...request.map((step) => search(step, { limit: 2 })),
      ...nodes
        .filter(({ isPlain }) => !isPlain)
        .map(({ type, ...rest }) => nodeEssentials(catalog, type, rest as Selection)),
    ]);
    const plans = jobs.map(({ request }) => planWorkflow(request, catalog, search));
    const [tokens, wanted] = [plans, before].map((list) => list.reduce<number>((sum, each) => sum + tokensOf(each), 0));
    console.info(
      `plans: ${tokens} tokens for ${jobs.length} jobs; ${before.length} searches and essentials: ${wanted}`,
    );
    expect(tokens).toBeLessThanOrEqual(MAX_SHARE * (wanted ?? 0));
  });
});
