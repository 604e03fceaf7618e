import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { textOf } from '../fixtures/mcp-clients.ts';
import { partial } from '../fixtures/partial.ts';

/** Long enough that every cut of a text is inside of it. */
const LOCAL = 'bartholomew.fitzgerald-montgomery.the.third';
const EMAIL = `${LOCAL}@department-of-agriculture.example.org`;
const CARD = '4929 1234 5678 9104';

let toolwright: Toolwright;
beforeAll(async () => {
  toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    pii: { clear: ['open'], patterns: { code: '\\bcust-[a-z]{6}\\b' } },
    tools: {
      crm: {
        tools: {
          get: { run: async () => ({ email: EMAIL }) },
          table: { run: async () => ({ 'cust-abcdef': { visits: 1 }, total: { visits: 2 } }) },
          need: {
            inputSchema: {
              type: 'object',
              properties: {
                count: { type: 'integer' },
                kind: { enum: ['a'] },
                options: { additionalProperties: false },
              },
            },
            run: async () => null,
          },
        },
      },
      open: {
        tools: {
          get: { run: async () => ({ email: EMAIL, card: CARD }) },
          list: { run: async () => Array.from({ length: 9_000 }, (_, index) => `${index}.${EMAIL}`) },
        },
      },
    },
  });
});
afterAll(() => toolwright[Symbol.asyncDispose]());

const run = async (code: string, options: { session?: string } = {}) =>
  toolwright.execute(code, { check: false, ...options });

test('an error about arguments has the placeholder, and never a part of the value', async () => {
  const result = await run(`
const { email } = await callMCPTool('crm__get');
const wrong = [{ count: email }, { count: email + email }, { kind: email }, { options: { [email]: 1 } }];
return Promise.all(wrong.map((args) => callMCPTool('crm__need', args).catch((error) => error.message)));`);
  const messages = (result as { value: string[] }).value;
  expect(messages).toHaveLength(4);
  for (const message of messages) {
    expect(message).toMatch(/^Invalid arguments: .*\[EMAIL_\d+\]/);
    expect(message).not.toContain('barth');
  }
});

test('the start of a large result ends before an incomplete value, although placeholders are shorter', async () => {
  for (const padding of [0, 17, 34, 51]) {
    const result = await run(`
const list = await callMCPTool('open__list');
return 'z'.repeat(${padding}) + list.join(' ');`);
    const { value } = result as { value: string };
    const [start = ''] = value.split('…');
    expect(start).toMatch(/\[EMAIL_\d+\] $/);
    expect(start).not.toContain('barth');
  }
});

test.each([8_192 - 9, 8_192 - 20, 8_192 - 60])(
  'a long error is cut next to values, %i characters in',
  async (length) => {
    const result = await run(`
const { email, card } = await callMCPTool('open__get');
const error = new Error('w'.repeat(${length}) + ' ' + card + ' ' + email);
error.name = 'N'.repeat(190) + ' ' + email;
error.code = 'C'.repeat(190) + ' ' + card;
throw error;`);
    const { error } = result as { error: { message: string; name: string; code: string } };
    expect(error.message).toMatch(/^w+ .*\(\+\d+ characters\)$/);
    expect(JSON.stringify(error)).not.toMatch(/4929|barth/);
  },
);

test('the inferred type of a result does not contain values from its keys', async () => {
  await run("return callMCPTool('crm__table')");
  const { text } = await toolwright.search('table');
  expect(text).toContain('// observed');
  expect(text).not.toContain('cust-');
});

test('an error over MCP contains no value either', async () => {
  const { id: session } = await toolwright.sessions.create();
  const files = await toolwright.sessions.files(session);
  await files.write('/workspace/to.txt', Buffer.from(EMAIL), 'replace');
  const silent = { error: () => undefined, warn: () => undefined, info: () => undefined };
  const endpoint = mcpEndpoint(mcpServers({ open: async () => toolwright, logger: partial(silent) }), partial(silent));
  const client = new Client({ name: 'model', version: '1' });
  const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), {});
  await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
  const code = "await callMCPTool('crm__get', { to: await fs.readFile('/workspace/to.txt', 'utf8') }); return 1";
  await client.callTool({ name: 'execute_code', arguments: { code, session, check: false } });
  await files.write('/workspace/to.txt', Buffer.from(`else.${EMAIL}`), 'replace');
  const saved = await client.callTool({
    name: 'save_skill',
    arguments: { name: 'write-to', description: 'Writes to somebody' },
  });
  await client.close();
  expect(saved.isError).toBe(true);
  expect(textOf(saved)).toContain('the execution did not call');
  expect(JSON.stringify(saved)).not.toContain('barth');
});
