import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { childrenOf } from '../../../../test/fixtures/processes.ts';
import type { ProgramTypes } from './checker.ts';
import { typescriptChecker } from './typescript.ts';

const TYPES: ProgramTypes = {
  server: async () => 'missing',
  file: async () => 'missing',
  tools: async () => ({ declarations: 'interface ToolArguments {}\ninterface ToolResults {}', unknown: ['a__b'] }),
};
const UNKNOWN = { problems: [expect.objectContaining({ kind: 'unknown-tool', name: 'a__b', line: 1, column: 14 })] };
const WRONG = 'callMCPTool("a__b")'.replace('(', '( ');
/** Requires a type that the compiler cannot compute within the time limit. */
const PATHOLOGICAL = `type Build<N extends number, T extends unknown[] = []> = T['length'] extends N ? T : Build<N, [...T, unknown]>;
type Add<A extends number, B extends number> = [...Build<A>, ...Build<B>]['length'];
type Many<N extends number, T> = { [K in keyof T]: T[K] extends object ? Many<N, T[K]> : Add<N, 900> };
type Wide = \`\${0|1|2|3|4|5|6|7|8|9}\${0|1|2|3|4|5|6|7|8|9}\${0|1|2|3|4|5|6|7|8|9}\${0|1|2|3|4|5|6|7|8|9}\`;
${Array.from({ length: 50 }, (_, at) => widePair(900 + 2 * at)).join('\n')}
callMCPTool("a__b");`;

/** Returns a program that takes the compiler about a second. */
function widePair(size: number): string {
  const type = (n: number) => `{ [K in Wide]: Many<${n}, { x: { [L in Wide]: K } }> }`;
  return `let a${size}: ${type(size)}; let b${size}: ${type(size + 1)} = a${size};`;
}

const checker = typescriptChecker();
afterAll(() => checker[Symbol.asyncDispose]());

/** Returns the compilers of this process's language workers. */
function compilers(): number[] {
  return childrenOf()
    .flatMap(({ pid }) => childrenOf(pid))
    .filter(({ command }) => command.includes('--api'))
    .map(({ pid }) => pid);
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue() && tries < 200; tries++) await sleep(20);
  expect(isTrue()).toBe(true);
}

test('few processes check many programs, also concurrent ones', async () => {
  const found = await Promise.all(Array.from({ length: 10 }, () => checker.check(WRONG, TYPES)));
  expect(found).toEqual(Array.from({ length: 10 }, () => UNKNOWN));
  expect(compilers().length).toBeLessThanOrEqual(4);
});

test('positions count characters of any kind', async () => {
  const found = await checker.check(`const s = '😀ü'; ${WRONG}`, TYPES);
  expect(found).toMatchObject({ problems: [{ line: 1, column: 31 }] });
});

test('a killed compiler is started again', async () => {
  await checker.check(WRONG, TYPES);
  const before = compilers();
  expect(before).not.toEqual([]);
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await until(() => !compilers().some((pid) => before.includes(pid)));
  expect(await checker.check(WRONG, TYPES)).toEqual(UNKNOWN);
});

test('a program that takes too long is skipped, its compiler is killed, and the next program is checked', async () => {
  const own = typescriptChecker({ timeoutMs: 1_500 });
  await own.check(WRONG, TYPES);
  expect(await own.check(PATHOLOGICAL, TYPES)).toEqual({ skipped: 'it took too long' });
  expect(await own.check(WRONG, TYPES)).toEqual(UNKNOWN);
  await own[Symbol.asyncDispose]();
});

test('the time limit holds while many programs wait for the workers', async () => {
  const own = typescriptChecker({ timeoutMs: 1_500 });
  await checker.check(WRONG, TYPES);
  expect(await own.check(WRONG, TYPES)).toEqual(UNKNOWN);
  // Each of them takes the compiler longer than the limit, and no tenant has all workers.
  const slow = (name: string) => own.check(`${PATHOLOGICAL}//${name}`, TYPES, { tenant: name });
  for (const verdict of await Promise.all(Array.from({ length: 12 }, (_, at) => slow(`tenant${at}`)))) {
    expect(['it took too long', 'too many programs are checked at once']).toContain(
      Reflect.get(Object(verdict), 'skipped'),
    );
  }
  await own[Symbol.asyncDispose]();
});

test('a check waits for the lists of tools longer than for its own work', async () => {
  const own = typescriptChecker({ timeoutMs: 4_000 });
  expect(await own.check(WRONG, TYPES)).toEqual(UNKNOWN);
  const tools = async (names: readonly string[]) => {
    await sleep(5_000);
    return TYPES.tools(names);
  };
  expect(await own.check(WRONG, { ...TYPES, tools })).toEqual(UNKNOWN);
  // A file is read by the workers, and that counts.
  const file = () => sleep(60_000, 'missing' as const, { ref: false });
  const start = performance.now();
  expect(await own.check(`import './lib.js'; ${WRONG}`, { ...TYPES, file })).toEqual({ skipped: 'it took too long' });
  expect(performance.now() - start).toBeLessThan(20_000);
  await own[Symbol.asyncDispose]();
});

test('the host stays responsive while a program is checked', async () => {
  const own = typescriptChecker({ timeoutMs: 3_000 });
  await own.check(WRONG, TYPES);
  let longest = 0;
  let last = performance.now();
  const ticking = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await own.check(PATHOLOGICAL, TYPES);
  clearInterval(ticking);
  await own[Symbol.asyncDispose]();
  expect(longest).toBeLessThan(2_500);
});

test('a cancelled check is skipped', async () => {
  expect(await checker.check(WRONG, TYPES, { signal: AbortSignal.abort() })).toEqual({ skipped: 'cancelled' });
});

test('a closed checker skips programs', async () => {
  const own = typescriptChecker();
  await own[Symbol.asyncDispose]();
  expect(await own.check(WRONG, TYPES)).toEqual({ skipped: 'the checker is closed' });
});

test('a program that cannot be read is skipped', async () => {
  expect(await checker.check(`callMCPTool;\n${'['.repeat(200_000)}`, TYPES)).toEqual({ skipped: 'it is too complex' });
});

test('the compiler reads no files of the disk, even if a program names them', async () => {
  const source = `import text from '/etc/passwd'; import x from '/package.json'; callMCPTool; text; x;`;
  const found = await checker.check(source, TYPES);
  expect(found).toMatchObject({
    problems: [
      { kind: 'unknown-module', name: '/etc/passwd' },
      { kind: 'unknown-module', name: '/package.json' },
    ],
  });
});
