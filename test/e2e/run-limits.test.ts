import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';
import { fixture } from '../fixtures/server.ts';

const desk = openDesk({ basic: fixture('basic'), dead: fixture('dies', 'start') });
const bare = openDesk();

describe.concurrent('run: input, sessions, limits and dead servers', () => {
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

  test('--json of a large result is complete', async () => {
    bare.write('large.json', { dataDir: 'data', limits: { resultBytes: 3_000_000 } });
    const { code, out } = await bare.run(['run', '--json', '--config', 'large.json', '-e', '"x".repeat(2e6)']);
    expect([code, JSON.parse(out).value.length]).toEqual([0, 2_000_000]);
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
