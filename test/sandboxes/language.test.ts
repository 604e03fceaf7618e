import { execFileSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { runCode } from '../../packages/sandbox/src/index.ts';
import { GUEST_FOLDER } from '../../packages/sandbox/src/sandboxes/guest-folder.ts';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { quickjsSandbox } from '../../packages/sandbox/src/sandboxes/quickjs.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { EXPRESSIONS } from './language/expressions.ts';

const probe = await probeJail();
const jail = probe.available ? await jailSandbox() : undefined;
const quickjs = quickjsSandbox();

afterAll(async () => {
  await jail?.[Symbol.asyncDispose]();
  await quickjs[Symbol.asyncDispose]();
});

/** Deletes every part that engines of today may lack, so that the guest runtime adds it. */
const DELETE = `
for (const [owner, names] of [[Object, 'groupBy'], [Map, 'groupBy'], [Map.prototype, 'getOrInsert getOrInsertComputed'],
  [WeakMap.prototype, 'getOrInsert getOrInsertComputed'], [Promise, 'withResolvers try'], [Array, 'fromAsync'],
  [Set.prototype, 'union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom'],
  [Error, 'isError'], [RegExp, 'escape'], [Math, 'f16round sumPrecise'], [globalThis, 'Iterator'],
  [Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())), 'map filter take drop flatMap reduce toArray forEach some every find']])
  for (const name of names.split(' ')) delete owner[name];`;

function programOf(expressions: readonly string[]): string {
  const each = expressions.map((expression) => `await outcome(async () => (${expression}))`);
  return `const outcome = async (work) => {
  try { const value = await work(); return value === undefined ? 'undefined' : JSON.stringify(value); } catch (error) { return 'throws ' + error.name; }
};
const outcomes = [${each.join(',\n')}];`;
}

async function inSandbox(sandbox: Sandbox): Promise<unknown[][]> {
  const ended = await runCode<string[]>(`${programOf(EXPRESSIONS)}\nreturn outcomes;`, { sandbox });
  if (ended.status !== 'completed') throw new Error(JSON.stringify(ended));
  return named(ended.value);
}

function named(outcomes: readonly string[]): unknown[][] {
  return EXPRESSIONS.map((expression, index) => [expression, outcomes[index]]);
}

it('the runtime adds the same parts to an engine without them', async () => {
  const module = `${GUEST_FOLDER}/javascript/language.js`;
  const program = `${DELETE}
const { installLanguage } = await import(${JSON.stringify(module)});
installLanguage();
${programOf(EXPRESSIONS)}
process.stdout.write(JSON.stringify(outcomes));`;
  const text = execFileSync(process.execPath, ['--no-warnings', '--input-type=module'], { input: program });
  expect(named(JSON.parse(text.toString()))).toEqual(await inSandbox(quickjs));
});

needs('jail', missingSandbox(probe)).it('programs in jail have the same parts on every Node', async () => {
  if (jail) expect(await inSandbox(jail)).toEqual(await inSandbox(quickjs));
});
