import { afterAll, describe, expect, it } from 'vitest';
import { mcpConnector } from '../../packages/connectors/src/mcp.ts';
import type { McpServerConfig } from '../../packages/connectors/src/servers/server-config.ts';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { processorTime } from '../fixtures/processor-time.ts';
import { fixture, listen } from '../fixtures/server.ts';

const closing: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

async function configOf(transport: string): Promise<McpServerConfig> {
  if (transport === 'stdio') return { ...fixture('unusable', 'stdio'), protocol: 'legacy' };
  const { origin, close } = await listen('unusable', transport);
  closing.push(close);
  return { url: origin, type: transport === 'sse' ? 'sse' : 'http' };
}

describe.each(['stdio', 'json', 'events', 'sse'])('a server with unusable answers over %s', async (transport) => {
  const logged: string[] = [];
  const log = (fields: unknown, message?: string) => void logged.push(JSON.stringify([fields, message]));
  const toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: 'quickjs',
    connectors: [mcpConnector('u', await configOf(transport))],
    logger: { debug: log, info: log, warn: log, error: log },
  });
  closing.push(() => toolwright.close());
  const server = async () => (await toolwright.servers({ load: true }))[0];
  const run = (source: string) => toolwright.execute(source, { check: false });
  const failing = async (tool: string) => {
    const before = await server();
    const result = await run(`return callMCPTool('u__${tool}', {}).catch(({ code, message }) => [code, message])`);
    expect(result.status).toBe('completed');
    // The connection stays open: the next call needs no new start.
    expect(await run("return callMCPTool('u__fine', {})")).toMatchObject({ value: 'fine' });
    expect((await server())?.status).toMatchObject({ state: 'ready', starts: before?.status.starts });
    const [code = '', message = ''] = (result as { value?: string[] }).value ?? [];
    return { code, message };
  };

  it('leaves out unusable tools and names them, and offers the others', async () => {
    expect(await server()).toMatchObject({
      status: { state: 'ready' },
      omittedTools: [
        { name: 'deep', problem: 'its definition is nested deeper than 200 levels' },
        {
          name: 'large',
          problem: expect.stringMatching(/^its definition has 104\d{5} characters, the limit is 1000000$/),
        },
        { name: 'wide', problem: expect.stringMatching(/^its definition has \d+ characters/) },
      ],
    });
    const names = (await toolwright.tools()).map(({ definition }) => definition.name);
    expect(names).toEqual(expect.arrayContaining(['fine', 'cyclic', 'exploding', 'slow_pattern', 'wrong']));
    expect(names).not.toContain('deep');
    expect(logged.join('\n')).toContain('"tool":"deep"');
    expect((await toolwright.search('zebra')).note).toContain('Left out: u__deep (its definition is nested deeper');
    expect(await run("await callMCPTool('u__deep', {})")).toMatchObject({
      error: { code: 'UNKNOWN_TOOL', message: expect.stringContaining('is left out: its definition is nested deeper') },
    });
  });

  it.each(['cyclic', 'exploding', 'slow_pattern'])('describes and checks the tool %s at once', async (tool) => {
    const used = processorTime();
    for (const detail of ['signature', 'docs', 'schema'] as const) await toolwright.describe(`u__${tool}`, detail);
    await toolwright.describe(`u__${tool}`, 'docs', { language: 'python' });
    const x = `${'a'.repeat(5_000)}!`;
    expect(await run(`return callMCPTool('u__${tool}', { x: '${x}' })`)).toMatchObject({ value: 'fine' });
    // Exponential work would take years.
    expect(used()).toBeLessThan(20_000);
  });

  it.each(['deep_list', 'deep_object'])('fails a call whose result is nested 100,000 levels (%s)', async (tool) => {
    const { code, message } = await failing(tool);
    expect(code).toBe('TOOL_RESULT_TOO_LARGE');
    expect(message).toMatch(/^u__deep_\w+ returned data that is nested deeper than 200 levels\./);
  });

  it('returns deeply nested JSON in a text as text', async () => {
    const result = await run("return (await callMCPTool('u__deep_text', {})).length");
    expect(result).toMatchObject({ status: 'completed', value: 200_000 });
  });

  it('fails a call whose error has deeply nested data', async () => {
    expect((await failing('deep_error')).code).toBe('TOOL_FAILED');
  });

  // The answer in the response to a request can only be its own. The SDK drops an answer with a list as its id on HTTP+SSE.
  const isOwnResponse = transport === 'json' || transport === 'events';
  const wrong = ['padded_id', 'other_text_id', ...(transport === 'sse' ? [] : ['list_id'])];
  it.each(['text_id', ...(isOwnResponse ? wrong : [])])('accepts an answer with %s', async (tool) => {
    expect(await run(`return callMCPTool('u__${tool}', {})`)).toMatchObject({ status: 'completed' });
  });

  if (!isOwnResponse) {
    it.each(wrong)('fails a call whose answer has an id that is not its number (%s)', async (tool) => {
      const { code } = await failing(tool);
      expect(code).toMatch(/^UPSTREAM_/);
    });
  }

  it.each([
    ['huge', 'a message of more than 64 MiB'],
    ['huge_values', 'a message with more than 1 million values'],
  ])('fails a call whose answer is over a limit (%s), and no other call', async (tool, excess) => {
    const { code, message } = await failing(tool);
    expect([code, message]).toEqual(['UPSTREAM_PROTOCOL', expect.stringContaining(excess)]);
    expect(message).toContain('Ask for less, with pages or a filter.');
    const both = await run(`return Promise.all(['${tool}', 'fine', 'fine'].map((name) =>
      callMCPTool('u__' + name, {}).catch(({ code }) => code)))`);
    expect(both).toMatchObject({ value: ['UPSTREAM_PROTOCOL', 'fine', 'fine'] });
  });

  it('delivers a result that breaks its output schema, with a warning without values', async () => {
    const result = await run("return callMCPTool('u__wrong', {})");
    expect(result).toMatchObject({ status: 'completed', value: { name: 7 } });
    const [{ level, text } = { level: '', text: '' }, ...more] = result.logs;
    expect([level, more]).toEqual(['warn', []]);
    expect(text).toMatch(/^The result of u__wrong breaks its output schema: .*age: expected integer, got string/);
    expect(text).toContain('team: missing');
    expect(text).not.toContain('ada@');
  });

  it('logs no internal error and no path of this machine', () => {
    const problems = logged.filter((line) => /RangeError|internal error|node_modules|packages\//.test(line));
    expect(problems).toEqual([]);
  });
});
