import { expect, it } from 'vitest';
import { canonicalOf } from '../../vault/canonical.ts';
import { newKeyring } from '../../vault/keys/master-key.ts';
import { memoryStore } from '../../vault/memory-store.ts';
import type { Known } from '../../vault/records/record.ts';
import { createAnswerBudget, MAX_ANSWERS } from './answer-budget.ts';

const known = (type: string, text: string): Known => ({
  ...{ name: `${type}_1`, type, numeric: false, canonical: canonicalOf(type, text) },
  spellings: [{ text, sources: [] }],
});
const EMAIL = [known('EMAIL', 'ada@x.com'), known('EMAIL', 'Ada@X.com')] as const;
const PHONE = [known('PHONE', '+49 30 12345678'), known('PHONE', '030 12345678')] as const;

function place() {
  const [store, keys] = [memoryStore(), newKeyring()];
  const open = () => ({ store, keys });
  return { store, budgetOf: (user = 'ada') => createAnswerBudget({ user, open }) };
}

it.each([[EMAIL], [PHONE]])(
  '100 sessions together get 20 answers about a value, in any spelling',
  async ([first, other]) => {
    const { budgetOf } = place();
    let answers = 0;
    for (let session = 0; session < 100; session++) {
      const budget = budgetOf();
      const refused = await budget.compare([session % 2 === 0 ? first : other], `{"startsWith":"${session}"}`);
      if (refused === undefined) answers++;
      if (await budget.checked([first], `program ${session}`, true)) answers++;
    }
    expect(answers).toBe(MAX_ANSWERS);
  },
);

it('answers the same condition again, and asks each user on their own', async () => {
  const { budgetOf } = place();
  for (let guess = 0; guess < 30; guess++) await budgetOf().compare([EMAIL[0]], `${guess}`);
  expect(await budgetOf().compare([EMAIL[0]], '3')).toBeUndefined();
  expect(await budgetOf().compare([EMAIL[0]], '25')).toBe(EMAIL[0]);
  expect(await budgetOf().compare([PHONE[0], EMAIL[1]], '25')).toBe(EMAIL[1]);
  expect(await budgetOf('bob').compare([EMAIL[0]], '25')).toBeUndefined();
});

it.each([
  ['no difference', false],
  ['a difference each time', true],
])('the same program is checked 2,000 times with %s', async (_, isDifferent) => {
  const budget = place().budgetOf();
  for (let hour = 0; hour < 2_000; hour++) expect(await budget.checked([EMAIL[0]], 'program', isDifferent)).toBe(true);
  expect(await budget.mayCheck([EMAIL[1]])).toBe(true);
});

it.each<[string, (check: number) => boolean | undefined]>([
  ['a bisection, half of whose answers are a difference', (check) => check % 4 < 2],
  ['guesses, few of which are right', (check) => check % 50 === 49],
  ['runs that end or do not end', (check) => (check % 3 === 0 ? undefined : false)],
  ['differences, and runs without an end', (check) => (check % 3 === 0 ? undefined : true)],
])('a value answers at most 20 checks otherwise than the one before: %s', async (_, endOf) => {
  const { budgetOf } = place();
  const last = new Map<string, boolean>();
  let unexpected = 0;
  for (let check = 0; check < 2_000; check++) {
    const [program, end] = [`session ${check % 7}`, endOf(check)];
    if (!(await budgetOf().checked([EMAIL[check % 2] ?? EMAIL[0]], program, end))) continue;
    if (end !== (last.get(program) ?? false)) unexpected++;
    if (end !== undefined) last.set(program, end);
  }
  expect(unexpected).toBeGreaterThan(5);
  expect(unexpected).toBeLessThanOrEqual(MAX_ANSWERS);
  expect(await budgetOf().mayCheck([EMAIL[0]])).toBe(false);
});

it('gives a program an answer by the state before it, not by the answer', async () => {
  const { budgetOf } = place();
  const budget = budgetOf();
  for (let guess = 0; guess < 18; guess++) await budget.compare([EMAIL[0]], `${guess}`);
  const ends = Array.from({ length: 40 }, (_, check) => budget.checked([EMAIL[0]], `${check}`, true));
  expect((await Promise.all(ends)).filter(Boolean)).toHaveLength(2);
  expect(await budget.checked([EMAIL[0]], 'other', false)).toBe(false);
});

it('charges comparisons at the same time one by one', async () => {
  const { budgetOf } = place();
  const guesses = Array.from({ length: 40 }, (_, guess) => budgetOf().compare([EMAIL[0]], `${guess}`));
  const refused = (await Promise.all(guesses)).filter((value) => value !== undefined);
  expect(refused).toHaveLength(40 - MAX_ANSWERS);
});

it('compares 2,000 different literals of a shape, the same ones any number of times', async () => {
  const { budgetOf } = place();
  const literals = (from: number) => Array.from({ length: 40 }, (_, index) => `u${from + index}@x.com`);
  for (let program = 0; program < 50; program++)
    expect(await budgetOf().compareLiterals('e-mail addresses', literals(program * 40))).toBe(true);
  expect(await budgetOf().compareLiterals('e-mail addresses', literals(0))).toBe(true);
  expect(await budgetOf().compareLiterals('e-mail addresses', ['more@x.com'])).toBe(false);
  expect(await budgetOf().compareLiterals('numbers', ['4155550123'])).toBe(true);
});

it('stores no value and no condition', async () => {
  const { store, budgetOf } = place();
  await budgetOf().compare([EMAIL[0]], '{"endsWith":"@x.com"}');
  await budgetOf().compareLiterals('e-mail addresses', ['ada@x.com']);
  let stored = '';
  for await (const namespace of store.namespaces(''))
    for await (const page of store.list(namespace)) stored += page.map(({ key, value }) => `${key}=${value}`).join();
  expect(stored).not.toMatch(/ada|x\.com/i);
});
