import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { newVault } from '../../../../../test/fixtures/vaults.ts';
import { PII_TYPES } from '../../detection/detector.ts';
import { createAnswerBudget } from './answer-budget.ts';
import { type Computed, compute, type Expression } from './compute.ts';
import type { TransformOptions } from './transform.ts';

const VALUES = [
  ['NAME', 'Ann Smith'],
  ['NAME', 'Bob Jones'],
  ['EMAIL', 'ann.smith+news@mail.x.com'],
  ['PHONE', '+1 415 555 0134'],
  ['IBAN', 'DE89370400440532013000'],
  ['DATE_OF_BIRTH', '1984-03-17'],
  ['SSN', '536-22-1234'],
  ['NAME', 'Smith'],
] as const;

async function open(policy: TransformOptions['policy'] = {}) {
  const vault = newVault({ lifetime: {} });
  await vault.allocate(
    VALUES.map(([type, text]) => ({ type, text })),
    'crm',
  );
  const audit = () => undefined;
  const budget = createAnswerBudget({ user: 'ann' });
  const options: TransformOptions = { vault, types: new Set(PII_TYPES), policy, audit, budget };
  /** Returns a result with values in place of its placeholders, which it notes. */
  const computed = async (name: string, expression: Expression) => {
    const [result] = await compute([name], expression, options);
    const list = Array.isArray(result) ? (result as readonly Computed[]) : [result];
    const names = list.map((one) => /^\[(.+)\]$/.exec(String(one))?.[1] ?? '');
    const found = await vault.find(names.filter(Boolean));
    const texts = list.map((one, at) => found.get(names[at] ?? '')?.spellings[0].text ?? one);
    return { value: Array.isArray(result) ? texts : texts[0], hidden: names.map(Boolean) };
  };
  return { options, computed };
}

describe('compute', () => {
  it.each<[string, Expression, Computed]>([
    ['EMAIL_1', ['part', 0, 3], 'ann'],
    ['NAME_1', ['part', 4, null], 'Smith'],
    ['NAME_1', ['text', 'replace', '[NAME_3]', '', 'Stone'], 'Ann Stone'],
    ['EMAIL_1', ['group', 1, '^([^@+]+)', ''], 'ann.smith'],
    ['EMAIL_1', ['text', 'replace', '\\+[^@]*', '', ''], 'ann.smith@mail.x.com'],
    ['EMAIL_1', ['text', 'replace', '^(.)[^@]*', '', '$1***'], 'a***@mail.x.com'],
    ['IBAN_1', ['joined', '.{1,4}', 'g', ' '], 'DE89 3704 0044 0532 0130 00'],
    ['EMAIL_1', ['hash', 'md5'], '(its hash)'],
    ['DATE_OF_BIRTH_1', ['format', '%d.%m.%Y'], '17.03.1984'],
  ])('of %s: %j is a placeholder of %j', async (name, expression, expected) => {
    const { value, hidden } = await (await open()).computed(name, expression);
    if (expression[0] === 'hash') expect(value).toMatch(/^[\da-f]{32}$/);
    else expect(value).toBe(expected);
    expect(hidden).toEqual([true]);
  });

  it.each<[string, Expression, Computed]>([
    ['EMAIL_1', ['group', 1, '@(.+)$', ''], 'mail.x.com'],
    ['EMAIL_1', ['group', 1, '\\.(\\w+)$', ''], 'com'],
    ['EMAIL_1', ['group', 1, 'nobody(@)', ''], null],
    ['NAME_1', ['match', { includes: '[NAME_3]' }], true],
    ['NAME_2', ['match', { pattern: '[NAME_3]' }], false],
    ['PHONE_1', ['part', -4, null], '0134'],
    ['DATE_OF_BIRTH_1', ['since', '1984-03-18T00:00:00Z'], -1],
    ['DATE_OF_BIRTH_1', ['spans', Date.parse('2025-03-16'), 365.25 * 86_400_000], 40],
    ['DATE_OF_BIRTH_1', ['datepart', 'month', '==', 3], true],
    ['DATE_OF_BIRTH_1', ['datepart', 'day', '<', 17], false],
  ])('of %s: %j is the fact %j', async (name, expression, expected) => {
    expect(await (await open()).computed(name, expression)).toEqual({ value: expected, hidden: [false] });
  });

  it.each<[string, Expression]>([
    ['SSN_1', ['part', 0, 3]],
    ['NAME_1', ['part', 'a', 3]],
    ['EMAIL_1', ['group', 4, '@', '']],
    ['EMAIL_1', ['group', 0, '(?=a)', '']],
    ['EMAIL_1', ['hash', 'shake256']],
    ['NAME_1', ['pieces', 'nn']],
    ['NAME_1', ['since', '2000-01-01']],
    ['DATE_OF_BIRTH_1', ['since', 'soon']],
    ['DATE_OF_BIRTH_1', ['spans', Date.parse('2025-01-01'), 86_400_000]],
    ['DATE_OF_BIRTH_1', ['datepart', 'month', '%', 3]],
    ['DATE_OF_BIRTH_1', ['format', '%j']],
    ['EMAIL_1', ['unknown']],
  ])('of %s: %j is not computed', async (name, expression) => {
    expect((await (await open()).computed(name, expression)).value).toBeNull();
  });

  it('returns the pieces of a date: the year as a fact, the others as placeholders', async () => {
    const { value, hidden } = await (await open()).computed('DATE_OF_BIRTH_1', ['pieces', '-']);
    expect([value, hidden]).toEqual([
      ['1984', '03', '17'],
      [false, true, true],
    ]);
  });

  it('returns the placeholder itself for a result that is the whole value', async () => {
    const { options } = await open();
    expect(await compute(['NAME_1'], ['text', 'replace', '&', 'g', '&amp;'], options)).toEqual(['[NAME_1]']);
  });

  it('returns the placeholder of a number for its digits', async () => {
    const { options } = await open();
    const [digits] = await compute(['PHONE_1'], ['text', 'replace', '\\D', 'g', ''], options);
    expect(digits).not.toBe('[PHONE_1]');
    expect(await compute([String(digits).slice(1, -1)], ['original'], options)).toEqual(['[PHONE_1]']);
    const [part] = await compute(['NAME_1'], ['part', 0, 3], options);
    expect(await compute([String(part).slice(1, -1)], ['original'], options)).toEqual([null]);
  });
});

test('a part that a tool could show costs two answers for each character, and only for the wanted value', async () => {
  const { options } = await open();
  expect(await compute(['NAME_1', 'NAME_2'], ['part', 0, 3], options)).toEqual([expect.any(String), undefined]);
  expect(await compute(['NAME_1'], ['part', 0, 5], options)).toEqual([expect.any(String)]);
  // 16 of 20 answers are spent.
  expect(await compute(['NAME_1'], ['part', 1, 5], options)).toEqual([null]);
  expect(await compute(['NAME_1'], ['part', 0, 3], options)).toEqual([expect.any(String)]);
  expect(await compute(['NAME_2'], ['part', 1, 5], options)).toEqual([expect.any(String)]);
});

test('a policy that forbids a fact or a comparison leaves it out', async () => {
  const hidden = await open({ derivations: { EMAIL: ['match'] } });
  expect((await hidden.computed('EMAIL_1', ['group', 1, '@(.+)$', ''])).hidden).toEqual([true]);
  const none = await open({ derivations: { EMAIL: [] } });
  expect((await none.computed('EMAIL_1', ['group', 1, '@(.+)$', ''])).value).toBeNull();
});

describe('dates of programs that run each day', () => {
  afterEach(() => vi.useRealTimers());
  const DAY_MS = 86_400_000;
  const YEAR_MS = 365.25 * DAY_MS;
  const START = Date.UTC(2026, 0, 1, 9, 30);
  const today = () => new Date();
  const yearsAgo = (years: number) => new Date(new Date().setFullYear(today().getFullYear() - years)).toISOString();

  it.each<[string, (day: number) => Expression]>([
    ['an age', () => ['spans', Date.now(), YEAR_MS]],
    ['a limit of 18 years', () => ['since', yearsAgo(18)]],
    ['a limit of 18 average years', () => ['since', new Date(Date.now() - 18 * YEAR_MS).toISOString()]],
    ['the birthdays of today', () => ['datepart', 'day', '==', today().getUTCDate()]],
  ])('%s is computed each day of a year', async (_, expressionOf) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(START);
    const { computed } = await open();
    for (let day = 0; day < 365; day++) {
      vi.setSystemTime(START + day * DAY_MS);
      expect((await computed('DATE_OF_BIRTH_1', expressionOf(day))).value).not.toBeNull();
    }
  });

  it.each<[string, (day: number) => Expression]>([
    ['another limit', (day) => ['since', new Date(Date.now() - (3_000 + 7 * day) * DAY_MS).toISOString()]],
    ['an age of another day', (day) => ['spans', Date.now() + (60 + day) * DAY_MS, YEAR_MS]],
    ['another year', (day) => ['since', yearsAgo(day + 1)]],
  ])('%s is one of 20 answers', async (_, expressionOf) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(START);
    const { computed } = await open();
    let answers = 0;
    for (let day = 0; day < 40; day++)
      if ((await computed('DATE_OF_BIRTH_1', expressionOf(day))).value !== null) answers++;
    expect(answers).toBe(20);
  });
});
