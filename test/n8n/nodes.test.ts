import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';
import { nodeEssentials } from '../../packages/n8n/src/nodes/essentials.ts';
import { createNodeSearch } from '../../packages/n8n/src/nodes/search.ts';
import { operationsOf } from '../../packages/n8n/src/nodes/visible.ts';
import { needsTemplates, openRealCatalog } from './templates.ts';

const MAX_SEARCH_TOKENS = 200;
const MAX_ESSENTIALS_P50 = 250;
const MAX_ESSENTIALS_P90 = 500;
const MAX_LOAD_MS = 300;
const MAX_LOAD_BYTES = 60_000_000;
const MIN_HIT_RATE = 0.95;

/** Queries of users, and a type that must be among the first five results. */
const QUERIES: Readonly<Record<string, string>> = {
  slack: 'slack',
  'send a message to slack': 'slack',
  'read rows of a google sheet': 'googleSheets',
  'call a REST API': 'httpRequest',
  'run javascript code': 'code',
  'start every hour': 'scheduleTrigger',
  'receive a webhook': 'webhook',
  'answer a webhook': 'respondToWebhook',
  'ai agent': 'agent',
  'openai chat model': 'lmChatOpenAi',
  'merge two branches': 'merge',
  'filter items': 'filter',
  'send an email with gmail': 'gmail',
  'query postgres': 'postgres',
  'if condition': 'if',
  'loop over items': 'splitInBatches',
  'vector store pinecone': 'vectorStorePinecone',
  'wait some time': 'wait',
  'execute a sub-workflow': 'executeWorkflow',
  'extract text from pdf': 'extractFromFile',
  'form trigger': 'formTrigger',
  'rss feed': 'rssFeedRead',
  'create a notion page': 'notion',
  'edit fields': 'set',
  'github issue': 'github',
  'airtable record': 'airtable',
  'structured output parser': 'outputParserStructured',
  'remove duplicates': 'removeDuplicates',
  'upload to google drive': 'googleDrive',
  'hubspot contact': 'hubspot',
};

needsTemplates.describe("n8n's own nodes", () => {
  it(`are opened within ${MAX_LOAD_MS} ms, in ${MAX_LOAD_BYTES} bytes`, () => {
    const before = process.memoryUsage.rss();
    const times = [1, 2, 3].map(() => {
      const start = performance.now();
      openRealCatalog().lookup('n8n-nodes-base.slack');
      return performance.now() - start;
    });
    const bytes = process.memoryUsage.rss() - before;
    console.info(`catalog: opened in ${times.map(Math.round).join(', ')} ms, ${bytes} bytes for three`);
    expect(Math.min(...times)).toBeLessThanOrEqual(MAX_LOAD_MS);
    expect(bytes).toBeLessThanOrEqual(3 * MAX_LOAD_BYTES);
  });

  it('are found with few tokens', () => {
    const search = createNodeSearch(openRealCatalog());
    const answers = Object.entries(QUERIES).map(([query, wanted]) => ({ query, wanted, hits: search(query) }));
    const missed = answers.filter(({ wanted, hits }) => !hits.some(({ type }) => type.endsWith(`.${wanted}`)));
    expect(1 - missed.length / answers.length, missed.map(({ query }) => query).join(', ')).toBeGreaterThanOrEqual(
      MIN_HIT_RATE,
    );
    const most = Math.max(...answers.map(({ hits }) => countTokens(JSON.stringify(hits))));
    console.info(`search: ${answers.length - missed.length} of ${answers.length} found, at most ${most} tokens`);
    expect(most).toBeLessThanOrEqual(MAX_SEARCH_TOKENS);
  });

  it('are described with few tokens', () => {
    const catalog = openRealCatalog();
    const tokens = catalog.entries.flatMap(({ name }) => {
      const [[resource, operations] = ['', []]] = operationsOf(catalog.describe(name));
      const selection = { resource: resource || undefined, operation: operations[0] };
      return [{}, selection].map((each) => countTokens(JSON.stringify(nodeEssentials(catalog, name, each))));
    });
    tokens.sort((a, b) => a - b);
    const share = (part: number) => tokens[Math.floor(tokens.length * part)];
    console.info(`essentials: ${share(0.5)} tokens in the middle, ${share(0.9)} for nine of ten`);
    expect(share(0.5)).toBeLessThanOrEqual(MAX_ESSENTIALS_P50);
    expect(share(0.9)).toBeLessThanOrEqual(MAX_ESSENTIALS_P90);
  });
});
