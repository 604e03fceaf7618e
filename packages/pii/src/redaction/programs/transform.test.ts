import { describe, expect, it, test } from 'vitest';
import { newVault } from '../../../../../test/fixtures/vaults.ts';
import { PII_TYPES } from '../../detection/detector.ts';
import { createAnswerBudget } from './answer-budget.ts';
import { match } from './match.ts';
import { age, equal, order, type TransformOptions, transform } from './transform.ts';

const VALUES = [
  ['NAME', 'Ann Smith'],
  ['NAME', 'Zoë Smith'],
  ['NAME', 'Bob Jones'],
  ['EMAIL', 'Ann.Smith@X.com'],
  ['EMAIL', 'ann.smith@x.com'],
  ['PHONE', '+49 (0)30 123456'],
  ['SSN', '536-22-1234'],
  ['DATE_OF_BIRTH', '12.03.1984'],
  ['DATE_OF_BIRTH', '1980-05-21'],
  ['IP', '10.20.30.40'],
] as const;

async function open(max?: number) {
  const vault = newVault();
  await vault.allocate(
    VALUES.map(([type, text]) => ({ type, text })),
    'crm',
  );
  const options: TransformOptions = {
    vault,
    types: new Set(PII_TYPES),
    policy: {},
    audit: () => undefined,
    budget: createAnswerBudget({ user: 'ann' }),
    maxTransforms: max,
  };
  /** Returns the values of placeholders. */
  const valuesOf = async (names: readonly (string | null)[]) => {
    const known = await vault.find(names.map((name) => String(name).slice(1, -1)));
    return names.map((name) => known.get(String(name).slice(1, -1))?.spellings[0].text ?? null);
  };
  return { vault, options, valuesOf };
}

it.each<[readonly string[], string, string | null]>([
  [['lower'], 'EMAIL_1', 'ann.smith@x.com'],
  [['upper'], 'NAME_2', 'ZOË SMITH'],
  [['ascii', 'upper'], 'NAME_2', 'ZOE SMITH'],
  [['first'], 'NAME_1', 'Ann'],
  [['last'], 'NAME_3', 'Jones'],
  [['initials'], 'NAME_3', 'BJ'],
  [['slug'], 'NAME_2', 'zoe-smith'],
  [['pad:12'], 'NAME_1', 'Ann Smith   '],
  [['local'], 'EMAIL_2', 'ann.smith'],
  [['digits'], 'PHONE_1', '49030123456'],
  [['e164'], 'PHONE_1', '+4930123456'],
  [['digits'], 'SSN_1', '536221234'],
  [['iso'], 'DATE_OF_BIRTH_1', '1984-03-12'],
  [['network'], 'IP_1', '10.20.30.0/24'],
  [['network'], 'NAME_1', null],
  [['lower', 'md5'], 'EMAIL_2', '(its hash)'],
])('%j of %s is a placeholder of %j', async (names, name, expected) => {
  const { options, valuesOf } = await open();
  const [placeholder = null] = await transform([`[${name}]`], names, options);
  if (expected === null) expect(placeholder).toBeNull();
  else {
    expect(placeholder).toMatch(new RegExp(`^\\[${name.replace(/\d+$/, '')}\\d+\\]$`));
    expect(placeholder).not.toBe(`[${name}]`);
    const [value] = await valuesOf([placeholder]);
    if (names.includes('md5')) expect(value).toMatch(/^[\da-f]{32}$/);
    else expect(value).toBe(expected);
  }
});

test('texts without placeholders are computed, and absent values stay absent', async () => {
  const { options } = await open();
  expect(await transform(['Ann@X.com', null, undefined, 7], ['upper'], options)).toEqual([
    'ANN@X.COM',
    null,
    null,
    '7',
  ]);
});

test('equal results of a call have one placeholder, and a normal form has one in all calls', async () => {
  const { options } = await open();
  const [a, b, c] = await transform(['[NAME_1]', '[NAME_2]', '[NAME_3]'], ['last'], options);
  expect(a).toBe(b);
  expect(c).not.toBe(a);
  const [first] = await transform(['[EMAIL_1]'], ['lower'], options);
  expect(await transform(['[EMAIL_2]'], ['lower'], options)).toEqual([first]);
});

describe('nothing is learned', () => {
  it.each<[readonly unknown[], readonly unknown[], string]>([
    [['[SSN_1]'], ['first'], 'PII_DENIED'],
    [['[EMAIL_9]'], ['lower'], 'UNKNOWN_PLACEHOLDER'],
    [['Dear [NAME_1]'], ['lower'], 'INVALID_ARGUMENTS'],
    [['[NAME_1][NAME_2]'], ['lower'], 'INVALID_ARGUMENTS'],
    [['[NAME_1]'], [], 'INVALID_ARGUMENTS'],
    [['[NAME_1]'], ['constructor'], 'INVALID_ARGUMENTS'],
    [['[NAME_1]'], ['pad:100000'], 'INVALID_ARGUMENTS'],
    [[{}], ['lower'], 'INVALID_ARGUMENTS'],
  ])('%j by %j is %s', async (values, names, code) => {
    const { options } = await open();
    await expect(transform(values, names, options)).rejects.toMatchObject({ code });
  });

  test('a session transforms a limited number of values', async () => {
    const { options } = await open(2);
    await transform(['[NAME_1]', '[NAME_2]'], ['lower'], options);
    await expect(transform(['[NAME_1]'], ['lower'], options)).rejects.toMatchObject({ code: 'PII_DENIED' });
  });

  test('a transformed value has the budget of its original', async () => {
    const { options } = await open();
    const ask = async (name: string, count: number, from = 0) => {
      for (let i = from; i < from + count; i++) await match([name], { includes: `x${i}` }, options);
    };
    await ask('[NAME_1]', 15);
    const [slug = ''] = await transform(['[NAME_1]'], ['slug', 'pad:30'], options);
    await ask(String(slug), 5, 15);
    const [hash = ''] = await transform(['[NAME_1]'], ['sha256'], options);
    await expect(ask(String(hash), 3, 20)).rejects.toMatchObject({ code: 'PII_DENIED' });
  });

  test('a forgotten value takes its transformed ones along', async () => {
    const { options, vault, valuesOf } = await open();
    const made = await transform(['[NAME_1]', '[NAME_1]', '[NAME_3]'], ['last'], options);
    const hashed = await transform(['[NAME_1]'], ['sha256'], options);
    await vault.forget('Ann Smith');
    expect(await valuesOf([made[0] ?? '', made[2] ?? '', hashed[0] ?? ''])).toEqual([null, 'Jones', null]);
  });

  test('they belong to the servers of their original', async () => {
    const { options, vault } = await open();
    const [made = ''] = await transform(['[SSN_1]'], ['digits'], options);
    const known = await vault.find([String(made).slice(1, -1)]);
    expect([...known.values()][0]?.spellings).toEqual([{ text: '536221234', sources: ['crm'] }]);
  });
});

test('ranks are in the order of the values, of their parts, and of dates', async () => {
  const { options } = await open();
  const names = ['[NAME_2]', null, '[NAME_3]', '[NAME_1]', '[NAME_2]'];
  expect(await order(names, [], options)).toEqual([3, null, 2, 1, 3]);
  expect(await order(names, ['last'], options)).toEqual([2, null, 1, 2, 2]);
  expect(await order(['[DATE_OF_BIRTH_1]', '[DATE_OF_BIRTH_2]'], [], options)).toEqual([2, 1]);
  await expect(order(['[NAME_1]', 'M'], [], options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  await expect(order(['[SSN_1]'], [], options)).rejects.toMatchObject({ code: 'PII_DENIED' });
});

test('20 different lists are sorted for a value, and a list that was sorted before costs nothing', async () => {
  const { options, vault } = await open();
  const others = await vault.allocate(
    Array.from({ length: 30 }, (_, i) => ({ type: 'NAME', text: `Person ${i} Lee` })),
  );
  let sorted = 0;
  const sort = async (name = '') => order(['[NAME_1]', `[${name}]`], [], options).then(() => sorted++);
  for (const name of others) await sort(name).catch(() => undefined);
  expect(sorted).toBe(20);
  await sort(others[0]);
  expect(sorted).toBe(21);
});

test('a list that grows is sorted as long as a value keeps its neighbours, and known values around it are at most 20', async () => {
  const { options, vault } = await open();
  const text = (index: number) => `N${String(index).padStart(4, '0')} Lee`;
  const allocated = async (indexes: readonly number[]) =>
    (await vault.allocate(indexes.map((index) => ({ type: 'NAME', text: text(index) })))).map((name) => `[${name}]`);
  const list = await allocated(Array.from({ length: 90 }, (_, index) => index * 10));
  for (let rows = 50; rows <= 90; rows++) {
    const ranks = await order(list.slice(0, rows), [], options);
    expect(ranks).toEqual(Array.from({ length: rows }, (_, index) => index + 1));
  }
  let answers = 0;
  for (let distance = 900; distance > 0; distance -= 20) {
    const pair = await allocated([1001, 1001 + distance]);
    if (await order(pair, [], options).catch(() => undefined)) answers++;
  }
  expect(answers).toBe(20);
});

test('ages are those of dates that are clear', async () => {
  const { options } = await open();
  const born = ['[DATE_OF_BIRTH_1]', '[DATE_OF_BIRTH_2]', '2000-02-29', null, '01/02/2003'];
  expect(await age(born, '2020-03-11', options)).toEqual([35, 39, 20, null, null]);
  await expect(age(born, 'soon', options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  await expect(age(['[NAME_1]'], null, options)).rejects.toMatchObject({ code: 'PII_DENIED' });
});

test('values are equal as texts, or in any case and with any separators', async () => {
  const { options } = await open();
  expect(await equal('[EMAIL_1]', '[EMAIL_2]', false, options)).toBe(false);
  expect(await equal('[EMAIL_1]', '[EMAIL_2]', true, options)).toBe(true);
  expect(await equal('[EMAIL_2]', 'ann.smith@x.com', false, options)).toBe(true);
  expect(await equal(null, '[EMAIL_2]', true, options)).toBe(false);
  await expect(equal('[SSN_1]', '536221234', true, options)).rejects.toMatchObject({ code: 'PII_DENIED' });
});
