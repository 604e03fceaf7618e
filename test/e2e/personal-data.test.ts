import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createToolwright, type Toolwright } from '../../packages/core/src/toolwright.ts';
import { mcpEndpoint } from '../../packages/server/src/mcp/endpoint.ts';
import { mcpServers } from '../../packages/server/src/mcp.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { contentsBelow } from '../fixtures/contents.ts';
import { textOf, WITH_DATA } from '../fixtures/mcp-clients.ts';
import { partial } from '../fixtures/partial.ts';

const PERSON = {
  name: 'Zdenka Krajčířová',
  email: 'zdenka.krajcirova@posta.example',
  phone: '+420 601 234 567',
  ssn: '536-22-1234',
  card: '4929 1234 5678 9104',
  iban: 'CZ65 0800 0000 1920 0014 5399',
  customer: 'KND-7735129',
};
const VALUES = Object.values(PERSON);
const PROGRAM = `
const person = await callMCPTool('crm__get');
const all = JSON.stringify(person);
const forms = (text) => [text, text.toUpperCase(), text.toLowerCase(), encodeURIComponent(text), text.replace(/\\D/g, ''),
  btoa(unescape(encodeURIComponent(text))), [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')];
console.log('seen', all);
console.error(person.name, person);
progress(all);
await fs.mkdir('/workspace/' + person.email, { recursive: true });
await fs.writeFile('/workspace/' + person.email + '/' + person.name + '.txt', all);
await fs.mkdir('/skills/greet-person', { recursive: true });
await fs.writeFile('/skills/greet-person/SKILL.md', '---\\nname: greet-person\\ndescription: Greets ' + person.name + ' by mail.\\n---\\nWrite to ' + person.email);
await fs.writeFile('/skills/greet-person/index.ts', 'export default function greetPerson() { return ' + JSON.stringify(all) + '; }');
const failed = await callMCPTool('crm__fail', { to: person.email }).catch((error) => error.message + JSON.stringify(error.details));
const refused = await callMCPTool('crm__get', { [person.email]: 1, count: person.name }).catch((error) => error.message);
const unknown = await callMCPTool('crm__' + person.email).catch((error) => error.message);
return { person, failed, refused, unknown, [person.email]: Object.values(person).map((value) => forms(String(value))),
  listing: await fs.readdir('/workspace', { recursive: true }), number: Number(person.ssn.replace(/\\D/g, '')) };`;
const THROWS = `
const person = await callMCPTool('crm__get');
const error = new Error('no ' + JSON.stringify(person));
error.name = person.name;
throw error;`;
const PYTHON = `
person = await call_mcp_tool("crm__get")
print(person)
progress(person)
raise KeyError(str(person))`;

/** Returns the values that a text contains in any form. */
function leaksIn(text: string): string[] {
  return VALUES.flatMap((value) => {
    const utf8 = Buffer.from(value);
    const forms = [value, value.toUpperCase(), value.toLowerCase(), encodeURIComponent(value)];
    const digits = value.replace(/\D/g, '');
    if (digits.length > 5) forms.push(digits);
    return [...forms, utf8.toString('base64').replace(/=+$/, '').slice(0, -1), utf8.toString('hex')];
  }).filter((form) => text.includes(form));
}

describe.each([
  { mode: 'placeholders', clear: [] },
  { mode: 'clear', clear: ['crm'] },
])('with values as $mode for programs', ({ clear }) => {
  const dataDir = temporaryFolder();
  /** All output, by the position at which a model can read it. */
  const positions = new Map<string, string>();
  const calls: unknown[] = [];
  const log: unknown[] = [];
  const write = (fields: object, message: string) => void log.push(fields, message);
  let toolwright: Toolwright;
  let session = '';

  beforeAll(async () => {
    toolwright = await createToolwright({
      dataDir,
      logger: { debug: write, info: write, warn: write, error: write },
      pii: { clear, patterns: { customer_id: '\\bKND-\\d{7}\\b' } },
      tools: {
        crm: {
          tools: {
            get: {
              description: `Returns a person. Questions: ${PERSON.email}, ${PERSON.phone}.`,
              inputSchema: {
                type: 'object',
                properties: {
                  count: { type: 'integer' },
                  to: { type: 'string', default: PERSON.email, description: `Such as ${PERSON.iban}` },
                  card: { enum: [PERSON.card], examples: [PERSON.card] },
                },
              },
              run: async () => ({ ...PERSON }),
            },
            fail: {
              run: async (args) => {
                calls.push(args);
                throw new Error(`no mail for ${PERSON.name}, ${PERSON.phone}`);
              },
            },
          },
        },
      },
    });
    session = (await toolwright.sessions.create()).id;
    const put = (position: string, value: unknown) =>
      positions.set(
        position,
        (positions.get(position) ?? '') + (typeof value === 'string' ? value : JSON.stringify(value)),
      );
    for (const [name, code, language] of [
      ['program', PROGRAM, 'typescript'],
      ['failed program', THROWS, 'typescript'],
      ['failed Python program', PYTHON, 'python'],
    ] as const) {
      const {
        logs,
        stats,
        calls: records,
        ...outcome
      } = await toolwright.execute(code, {
        sessionId: session,
        language,
        onLog: (line) => put(`${name}: live log`, line),
        onProgress: (value) => put(`${name}: progress`, value),
        onCall: (call) => put(`${name}: calls as they begin`, call),
      });
      put(`${name}: ${outcome.status === 'completed' ? 'result' : 'error'}`, outcome);
      put(`${name}: logs`, logs);
      put(`${name}: call records`, [records, stats]);
    }
    const large = 'const person = await callMCPTool("crm__get"); return Array(5_000).fill(person)';
    put('preview of a large result', await toolwright.execute(large, { sessionId: session }));
    put('session log', await toolwright.sessions.log(session));
    const read = 'return fs.readFile("/session/log.jsonl")';
    put('session log, read by a program', await toolwright.execute(read, { sessionId: session }));
    await viaMcp(put);
  });
  afterAll(() => toolwright.close());

  /** Collects the same positions, and those of the MCP server only. */
  async function viaMcp(put: (position: string, value: unknown) => void): Promise<void> {
    const silent = { info: () => undefined, warn: write, error: write };
    const endpoint = mcpEndpoint(
      mcpServers({ open: async () => toolwright, logger: partial(silent) }),
      partial(silent),
    );
    const client = new Client({ name: 'model', version: '1' });
    const fetch = (url: string | URL, init?: RequestInit) => endpoint.fetch(new Request(url, init), {});
    client.setNotificationHandler('notifications/message', ({ params }) => put('MCP: log messages', params));
    await client.connect(new StreamableHTTPClientTransport(new URL('http://test.local/mcp'), { fetch }));
    const call = async (name: string, args: Record<string, unknown>) => {
      const progress = (reported: unknown) => put('MCP: progress', reported);
      const answer = await client.callTool({ name, arguments: args, ...WITH_DATA }, { onprogress: progress });
      put(`MCP: ${name}, text`, textOf(answer));
      put(`MCP: ${name}, data`, [answer.structuredContent, answer._meta]);
      return textOf(answer);
    };
    await call('execute_code', { code: PROGRAM, session });
    await call('execute_code', { code: THROWS });
    const listing = await call('list_workspace_files', { session });
    expect(listing).toContain('results/');
    const files = await toolwright.sessions.files(session);
    for (const { name, kind } of await files.list('/workspace', true)) {
      if (kind === 'file') await call('read_workspace_file', { session, path: name });
    }
    await call('load_skill', { name: 'greet-person' });
    await call('list_skills', {});
    await call('search_tools', { query: 'greet a person by mail' });
    await call('get_tool_definition', { name: 'crm__get' });
    await call('get_execution_stats', { session });
    expect(await call('sanitize_pii', { text: VALUES.join(', '), session })).toContain('[EMAIL_');
    await call('get_tool_definition', { name: 'crm__nothing' });
    await call('search_tools', { query: PERSON.email });
    const definitions = `return [await get_mcp_tool_details('crm__get'), await search_tools('person'), await list_mcp_tools(),
      await fs.readFile('/servers/crm/get.ts', 'utf8')]`;
    await call('execute_code', { code: definitions });
    put('MCP: instructions', client.getInstructions());
    put('MCP: tools', await client.listTools());
    for (const { uri } of (await client.listResources()).resources) {
      put('MCP: resources', await client.readResource({ uri }).catch(String));
    }
    put(
      'MCP: a missing resource',
      await client.readResource({ uri: 'toolwright://servers/crm/none.ts' }).catch(String),
    );
    put('MCP: skill resource', await client.readResource({ uri: 'skill://greet-person/SKILL.md' }).catch(String));
    await client.close();
    await endpoint.close();
  }

  test('no position has a value in any form', () => {
    const leaks = [...positions].flatMap(([position, text]) => leaksIn(text).map((form) => `${position}: ${form}`));
    expect(leaks).toEqual([]);
    expect(positions.size).toBeGreaterThan(30);
    // The positions were not empty: most of them show placeholders.
    const telling = [...positions.values()].filter((text) => /\[EMAIL_\d+\]/.test(text));
    expect(telling.length).toBeGreaterThan(18);
  });

  test('tools received the values themselves', () => {
    expect(calls.length).toBeGreaterThan(1);
    expect(calls).toEqual(calls.map(() => ({ to: PERSON.email })));
  });

  test('journals, the vault, the audit and the log contain none in plain text', () => {
    const kept = contentsBelow(dataDir).filter(({ path }) => clear.length === 0 || !path.includes('workspace'));
    expect(kept.some(({ path }) => path.endsWith('store.db'))).toBe(true);
    expect(kept.some(({ path }) => path.includes('/audit/'))).toBe(clear.length === 0);
    const leaking = kept.filter(
      ({ content }) => leaksIn(content.toString('latin1') + content.toString('utf8')).length > 0,
    );
    expect(leaking.map(({ path }) => path)).toEqual([]);
    expect(leaksIn(JSON.stringify(log))).toEqual([]);
  });
});
