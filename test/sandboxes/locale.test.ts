import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { runCode } from '../../packages/sandbox/src/index.ts';
import { jailSandbox, probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { quickjsSandbox } from '../../packages/sandbox/src/sandboxes/quickjs.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { missingSandbox, needs } from '../fixtures/needs.ts';
import { EXPRESSIONS } from './locale/expressions.ts';

const probe = await probeJail();
const jail = probe.available ? await jailSandbox() : undefined;
const quickjs = quickjsSandbox();
const topics = Object.keys(EXPRESSIONS);

afterAll(async () => {
  await jail?.[Symbol.asyncDispose]();
  await quickjs[Symbol.asyncDispose]();
});

/** A program that evaluates expressions: each gives JSON text of its value, or the name of its error. */
function programOf(expressions: readonly string[]): string {
  const each = expressions.map((expression) => `outcome(() => (${expression}))`);
  return `const outcome = (work) => {
  try { const value = work(); return value === undefined ? 'undefined' : JSON.stringify(value); } catch (error) { return 'throws ' + error.name; }
};
const outcomes = [${each.join(',\n')}];`;
}

function inNode(expressions: readonly string[]): string[] {
  const input = `${programOf(expressions)}\nprocess.stdout.write(JSON.stringify(outcomes));`;
  const text = execFileSync(process.execPath, ['--no-warnings'], { input, env: { TZ: 'UTC' } });
  return JSON.parse(text.toString('utf8'));
}

async function inSandbox(sandbox: Sandbox, expressions: readonly string[]): Promise<string[]> {
  const ended = await runCode<string[]>(`${programOf(expressions)}\nreturn outcomes;`, { sandbox });
  if (ended.status !== 'completed') throw new Error(JSON.stringify(ended));
  return ended.value;
}

async function compare(sandbox: Sandbox, topic: string): Promise<void> {
  const expressions = EXPRESSIONS[topic] ?? [];
  const [own, nodes] = [await inSandbox(sandbox, expressions), inNode(expressions)];
  const named = (outcomes: readonly string[]) => expressions.map((expression, index) => [expression, outcomes[index]]);
  expect(named(own)).toEqual(named(nodes));
}

it('compares at least 150 expressions', () => {
  expect(Object.values(EXPRESSIONS).flat().length).toBeGreaterThanOrEqual(150);
});

describe('quickjs', () => {
  it.each(topics)('writes %s of a locale as Node does', (topic) => compare(quickjs, topic));

  it('compares all pairs of printable ASCII texts as Node does', async () => {
    const code = `const all = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
const words = [...all, ...all.map((c) => 'a' + c), ...all.map((c) => c + 'B'), 'ab', 'aB', 'Ab', 'a b', '', 'co-op', 'coop'];
let text = '';
for (const a of words) text += words.map((b) => Math.sign(a.localeCompare(b)) + 1).join('');
`;
    const ended = await runCode<string>(`${code}return text;`, { sandbox: quickjs });
    const nodes = execFileSync(process.execPath, [], { input: `${code}process.stdout.write(text)`, env: {} });
    expect(ended).toMatchObject({ status: 'completed', value: nodes.toString() });
  });

  it('refuses a text that is too long for one question', async () => {
    const code = `return new Intl.Segmenter('en').segment('x'.repeat(2_000_000))`;
    const ended = await runCode(code, { sandbox: quickjs });
    expect(ended).toMatchObject({
      status: 'failed',
      error: { name: 'RangeError', message: expect.stringContaining('at most 1000000') },
    });
  });
});

needs('jail', missingSandbox(probe)).describe('jail', () => {
  it.each(topics)('writes %s of a locale as Node does', (topic) => (jail ? compare(jail, topic) : undefined));
});
