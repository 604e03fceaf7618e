import { describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { fixture } from '../fixtures/server.ts';

const desk = openDesk({ basic: fixture('basic'), dead: fixture('dies', 'start') });
const bare = openDesk();

describe.concurrent('run', () => {
  test('prints a text unchanged and other values as JSON', async () => {
    expect(await bare.run(['run', '-e', 'return "a\\nb"'])).toEqual({ code: 0, out: 'a\nb\n', err: '' });
    expect(await bare.run(['run', '-e', '({ a: [1] })'])).toEqual({
      code: 0,
      out: '{\n  "a": [\n    1\n  ]\n}\n',
      err: '',
    });
    const nothing = expect.stringMatching(/^note: The program returned nothing\. End it with `return value`.*\n$/);
    expect(await bare.run(['run', '-e', 'const a = 1'])).toEqual({ code: 0, out: '', err: nothing });
  });

  test('writes logs to stderr at once', async () => {
    expect(await bare.run(['run', '-e', 'console.log("a"); console.warn("b"); return 1'])).toEqual({
      code: 0,
      out: '1\n',
      err: 'a\nwarn: b\n',
    });
  });

  test('calls tools of the configuration', async () => {
    const { code, out } = await desk.run(['run', '-e', 'return (await callMCPTool("basic__add", { a: 1, b: 2 })).sum']);
    expect([code, out]).toEqual([0, '3\n']);
  });

  test('--json prints one object with the logs, and nothing else', async () => {
    const program = 'console.log("hi"); await callMCPTool("basic__echo", { value: "x" }); return { a: 1 }';
    const { code, out, err } = await desk.run(['run', '--json', '-e', program]);
    const { executionId, calls, stats, ...rest } = JSON.parse(out);
    expect([code, err, out.trimEnd().split('\n').length, rest]).toEqual([
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

  test('exit 1: the program failed', async () => {
    const thrown = await bare.run(['run', '-e', 'const a = 1;\nthrow new RangeError("far")']);
    expect(thrown).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^RangeError: far\n {2}at line 2, column \d+\n$/),
    });
    const wrong = await bare.run(['run', '--json', '-e', 'const a = ;']);
    expect([wrong.code, JSON.parse(wrong.out).error.code, wrong.err]).toEqual([1, 'SYNTAX', '']);
    const hint = await bare.run(['run', '-e', 'require("child_process")']);
    expect([hint.code, hint.err]).toEqual([1, expect.stringContaining('hint: require takes the name of a package')]);
    const refused = await desk.run(['run', '-e', 'await callMCPTool("basic__boom", {})']);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('ToolError: the disk is full')]);
  });
});
