import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
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

  test('reads a file, standard input, or -e', async () => {
    bare.write('program.ts', 'const a: number = 1;\nreturn a;');
    const all = [
      bare.run(['run', 'program.ts']),
      bare.run(['run', '-'], 'return 1'),
      bare.run(['run', '--eval', '1', '--language', 'typescript']),
    ];
    expect(await Promise.all(all)).toEqual(Array(3).fill({ code: 0, out: '1\n', err: '' }));
  });

  test('keeps its compiled code where Node can, and starts with it', async () => {
    for (const _start of [1, 2]) expect((await bare.run(['run', '-e', '1'])).out).toBe('1\n');
    const isKept = existsSync(join(bare.folder, '.cache/toolwright/compiled'));
    expect(isKept).toBe('enableCompileCache' in nodeModule);
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

  test('--json of a large result is complete', async () => {
    bare.write('large.json', { dataDir: 'data', limits: { resultBytes: 3_000_000 } });
    const { code, out } = await bare.run(['run', '--json', '--config', 'large.json', '-e', '"x".repeat(2e6)']);
    expect([code, JSON.parse(out).value.length]).toEqual([0, 2_000_000]);
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
    const hint = await bare.run(['run', '-e', 'require("fs")']);
    expect([hint.code, hint.err]).toEqual([1, expect.stringContaining('hint: The sandbox has no require.')]);
    const refused = await desk.run(['run', '-e', 'await callMCPTool("basic__boom", {})']);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('ToolError: the disk is full')]);
  });

  test('exit 3: a limit', async () => {
    const time = await bare.run(['run', '--timeout-ms', '100', '-e', '\nfor (;;) {}']);
    expect(time).toEqual({
      code: 3,
      out: '',
      err: expect.stringMatching(
        /^Stopped \(timeout\): The program ran longer than 100 ms\..*\nTo allow more, use --timeout-ms, or limits\.timeoutMs in the configuration\.\n$/,
      ),
    });
    const memory = await bare.run(['run', '--memory-mb', '8', '--json', '-e', 'const a = []; for (;;) a.push([1])']);
    expect([memory.code, JSON.parse(memory.out).limit]).toEqual([3, 'memory']);
    // Waiting for a tool is no time of the program: the loop ends it.
    const looping = 'void callMCPTool("basic__slow", { ms: 9000 }); await sleep(200); for (;;) {}';
    const cut = await desk.run(['run', '--timeout-ms', '2500', '-e', looping]);
    expect([cut.code, cut.err]).toEqual([
      3,
      expect.stringContaining("Calls without an answer: [ 'basic__slow' ]. They may have taken effect."),
    ]);
  });

  test('exit 4: a server error', async () => {
    const { code, out } = await desk.run(['run', '--json', '-e', 'await callMCPTool("dead__x", {})']);
    const { error } = JSON.parse(out);
    expect([code, error.kind, error.code]).toEqual([4, 'upstream', 'UPSTREAM_UNAVAILABLE']);
    expect(error.message).toContain('dead');
  });

  test('--session keeps files, which other sessions cannot see', async () => {
    const write = ['run', '--session', 's1', '-e', 'await fs.writeFile("a", "A")'];
    const read = (session: string) => ['run', '--session', session, '-e', 'fs.readFile("a", "utf8")'];
    expect((await bare.run(write)).code).toBe(0);
    expect([await bare.run(read('s1')), (await bare.run(read('s2'))).code]).toEqual([
      { code: 0, out: 'A\n', err: '' },
      1,
    ]);
  });
});
