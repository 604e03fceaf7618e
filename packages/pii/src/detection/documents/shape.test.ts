import { describe, expect, it } from 'vitest';
import { PART_ITEMS } from '../../slices.ts';
import { detectValue, type ValueOptions } from './value.ts';

/** Returns the paths and types of the findings. */
function found(value: unknown, options?: ValueOptions): string[] {
  return detectValue(value, options).map(({ path, spans }) => `${path.join('.')} ${spans.map(({ type }) => type)}`);
}

describe('objects with the same keys', () => {
  it('are persons or things by their own values', () => {
    const rows = ['User', 'Repository', 'User'].map((type) => ({ type, name: 'Ada Lovelace' }));
    expect(found(rows)).toEqual(['0.name NAME', '2.name NAME']);
  });

  it('have the same findings in a list as alone', () => {
    const rows = [
      { kind: 'phone', label: 'phone', value: '415 555 0132', name: 'Ada Lovelace', login: 'x' },
      { kind: 'order', label: 'order', value: '415 555 0132', name: 'Ada Lovelace', login: 'Ada Lovelace' },
      { kind: 'user', label: 'ssn', value: '536-90-4399', name: 'Grace Hopper', login: 'y' },
      { kind: 'repo', label: 'version', value: '10.20.30.40', name: 'Grace Hopper', login: 'z' },
    ];
    const orders = [rows, [...rows].reverse()];
    for (const list of orders) {
      const alone = list.flatMap((row, index) => found([row]).map((line) => line.replace(/^0/, String(index))));
      expect(found(list)).toEqual(alone);
    }
  });

  it('may have other keys, in another order and number', () => {
    const person = { first_name: 'Ada', email: 'ada@x.com', city: 'Berlin' };
    const other = { email: 'grace@x.com', first_name: 'Grace' };
    expect(found([person, other, person])).toEqual([
      '0.first_name NAME',
      '0.email EMAIL',
      '1.email EMAIL',
      '1.first_name NAME',
      '2.first_name NAME',
      '2.email EMAIL',
    ]);
  });

  it('use the schema of their own value', () => {
    const rows = [{ a: '4155550132' }, { a: '4155550133' }];
    const schema = (a: object) => ({ items: { properties: { a } } });
    for (let round = 0; round < 2; round++) {
      expect(found(rows, { schema: schema({ 'x-pii': 'PHONE' }) })).toEqual(['0.a PHONE', '1.a PHONE']);
      expect(found(rows, { schema: schema({}) })).toEqual([]);
      expect(found(rows, { schema: schema({ 'x-pii': false }) })).toEqual([]);
      expect(found(rows, { schema: schema({ 'x-pii': 'SSN' }) })).toEqual([]);
    }
  });

  it('describe tables with columns of their own', () => {
    const table = (column: string) => ({ columns: [column, 'plan'], rows: [['4155550132', 'free']] });
    expect(found([table('phone'), table('order_id'), table('phone')])).toEqual([
      '0.rows.0.0 PHONE',
      '2.rows.0.0 PHONE',
    ]);
  });

  it('have cells that are names or not, one by one', () => {
    const row = (name: string) => ({ f: [{ v: name }, { v: 'ada@x.com' }] });
    const schema = { fields: [{ name: 'full_name' }, { name: 'email' }] };
    const lines = found({ schema, rows: [row('checkout-api'), row('Ada Lovelace'), row('checkout-api')] });
    expect(lines.filter((line) => line.includes('.f.0'))).toEqual(['rows.1.f.0.v NAME']);
  });
});

it('finds values behind many keys, whose facts are read in parts', () => {
  const wide = Object.fromEntries(Array.from({ length: 3 * PART_ITEMS }, (_, index) => [`key${index}`, 'plain']));
  const rows = [
    { ...wide, email: 'ada@x.com', type: 'User', name: 'Ada Lovelace' },
    { ...wide, email: 'grace@x.com', type: 'Repository', name: 'Ada Lovelace' },
  ];
  expect(found(rows)).toEqual(expect.arrayContaining(['0.email EMAIL', '0.name NAME', '1.email EMAIL']));
});

it('counts all texts and numbers before a finding', () => {
  const value = { a: [1, 'x', true, null], b: { email: 'ada@x.com' }, c: 2, d: ['+1 415 555 0132'], phone: 4155550132 };
  expect(detectValue(value).map(({ leaf, value: text }) => [leaf, text])).toEqual([
    [2, 'ada@x.com'],
    [4, '+1 415 555 0132'],
    [5, 4155550132],
  ]);
});
