import { afterAll, describe, expect, test } from 'vitest';
import { createToolwright } from '../../packages/core/src/toolwright.ts';
import { run } from '../../packages/toolwright/src/commands/run/run.ts';
import { temporaryFolder } from '../fixtures/bridge-host.ts';
import { openDesk } from '../fixtures/command-line.ts';
import { fixture } from '../fixtures/server.ts';
import { warmQuickjs } from '../fixtures/warm-sandbox.ts';

const mcpServers = { basic: fixture('basic'), dead: fixture('dies', 'start') };
const toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: warmQuickjs(), mcpServers });
afterAll(() => toolwright.close());

/** Runs a program in this process as `toolwright run` does. */
async function runHere(source: string, { json = false } = {}) {
  const lines: { readonly out: string[]; readonly err: string[] } = { out: [], err: [] };
  const output = {
    out: (text: string) => void lines.out.push(text),
    err: (text: string) => void lines.err.push(text),
    isTerminal: false,
  };
  const code = await run(toolwright, source, { json, execution: {} }, output);
  return { code, out: lines.out.join('\n'), err: lines.err.join('\n') };
}

describe('toolwright run', () => {
  test('prints the result of a program with calls of configured tools as one line of JSON, and nothing else', async () => {
    const program = 'console.log("hi"); return (await callMCPTool("basic__add", { a: 1, b: 2 })).sum';
    const { code, out, err } = await openDesk(mcpServers).run(['run', '--json', '-e', program]);
    expect([code, err, out.trimEnd().split('\n').length]).toEqual([0, '', 1]);
    expect(JSON.parse(out)).toMatchObject({ status: 'completed', value: 3 });
  });

  test('writes logs and the error to stderr, and exits with 1', async () => {
    const code = 'console.log("a"); console.warn("b");\nthrow new RangeError("far")';
    expect(await openDesk().run(['run', '-e', code])).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^a\nwarn: b\nRangeError: far\n {2}at line 2, column \d+\n$/),
    });
  });
});

describe('run', () => {
  test('prints a text unchanged and other values as JSON', async () => {
    expect(await runHere('return "a\\nb"')).toEqual({ code: 0, out: 'a\nb', err: '' });
    expect(await runHere('({ a: [1] })')).toEqual({ code: 0, out: '{\n  "a": [\n    1\n  ]\n}', err: '' });
    const nothing = expect.stringMatching(/^note: The program returned nothing\. End it with `return value`.*$/);
    expect(await runHere('const a = 1')).toEqual({ code: 0, out: '', err: nothing });
  });

  test('prints one JSON object with the logs, and nothing else', async () => {
    const program = 'console.log("hi"); await callMCPTool("basic__echo", { value: "x" }); return { a: 1 }';
    const { code, out, err } = await runHere(program, { json: true });
    const { executionId, calls, stats, ...rest } = JSON.parse(out);
    expect([code, err, out.split('\n').length, rest]).toEqual([
      0,
      '',
      1,
      { status: 'completed', value: { a: 1 }, logs: [{ level: 'info', text: 'hi' }] },
    ]);
    expect(calls).toEqual([
      {
        number: 1,
        tool: 'basic__echo',
        status: 'answered',
        durationMs: calls[0].durationMs,
        argumentBytes: 13,
        resultBytes: 3,
      },
    ]);
    expect([stats.toolCalls, typeof stats.sandbox, typeof executionId]).toEqual([1, 'string', 'string']);
  });

  test('returns 1 for a program that fails, and prints the fix', async () => {
    const wrong = await runHere('const a = ;', { json: true });
    expect([wrong.code, JSON.parse(wrong.out).error.code, wrong.err]).toEqual([1, 'SYNTAX', '']);
    const hint = await runHere('require("child_process")');
    expect([hint.code, hint.err]).toEqual([1, expect.stringContaining('hint: require takes the name of a package')]);
    const refused = await runHere('await callMCPTool("basic__boom", {})');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('ToolError: the disk is full')]);
  });
});
