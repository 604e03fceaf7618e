// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs are texts
import { describe, expect, it } from 'vitest';
import { computedEdits } from './computed/computed.ts';
import { parseProgram } from './parse.ts';
import { reportsReads } from './passes-data.ts';
import { applyEdits } from './shape.ts';

type Ask = (...request: unknown[]) => unknown;
const guest = new URL('../../guest/javascript/computed/seen.js', import.meta.url).href;
const { createSeen }: { createSeen(ask: Ask): (value: unknown, place: string, as: string) => unknown } = await import(
  /* @vite-ignore */ guest
);

const rewritten = (source: string) =>
  applyEdits(source, computedEdits(source, parseProgram(source), true))
    .replaceAll('__toolwright_values', '$')
    .replaceAll(/, "line \d+: [^"]*"(?:(, "\w+")(?:, "[^"]*")*)?/g, '$1');

describe('reportsReads', () => {
  it.each([
    ['return rows.length', 'return $.on($.seen(rows, "list"), "length").length'],
    ['return rows?.length', 'return $.on($.seen(rows, "list"), "length")?.length'],
    ['return rows[0].email', 'return $.on($.seen(rows, "list"), "0")[0].email'],
    [
      "return rows.filter((r) => r.plan === 'team' && r.total > 10)",
      'return $.seen(rows, "list").filter((r) => $.seen(r.plan, "same") === \'team\' && $.seen(r.total, "value") > 10)',
    ],
    [
      'let n = 0; for (const r of rows) { if (r.a < r.b) n += r.total; else n++; } return n / rows.length',
      'let n = 0; for (const r of $.seen(rows, "list")) { if ($.ordered($.seen(r.a, "value") , "<", $.seen(r.b, "value"))) n = $.seen(n, "value") + $.seen(r.total, "value"); else ($.seen(n, "value"), n++); } return $.seen(n, "value") / $.seen($.on($.seen(rows, "list"), "length").length, "value")',
    ],
    [
      'return rows.reduce((sum: number, r: any) => sum + r.total, 0)',
      'return $.seen(rows, "list").reduce((sum: number, r: any) => $.seen(sum, "value") + $.seen(r.total, "value"), 0)',
    ],
    [
      'return rows.filter((r) => r.manager == null ? !r.done : true)',
      'return $.seen(rows, "list").filter((r) => $.seen(r.manager, "same") == null ? !r.done : true)',
    ],
    ['const all = []; all.push(...[]); return all', undefined],
    ['return data?.rows.length', undefined],
    ['return data?.rows.map((r) => r.id)', undefined],
    ['return rows.map((r) => r.email.split("@")[1])', undefined],
    ['rows.filter = () => []; return rows', undefined],
    ['return rows.map(function (r) { return r.id })', undefined],
    ['return rows[key]', undefined],
    ['return rows[filter]((r) => r.email)', undefined],
    ['return `${rows}`.length > 0 || new Set(rows).size', undefined],
    ['console.log = (x) => x; return rows', undefined],
    ['return typeof rows', undefined],
    ['return "email" in rows', undefined],
    ['return rows.map((r) => ({ ...r }))', undefined],
    ['for await (const row of rows) console.log(row)', undefined],
  ])('%s', (source, expected) => {
    expect(reportsReads(parseProgram(source)) ? rewritten(source) : undefined).toBe(expected);
  });
});

describe('seen', () => {
  const isReported = (value: unknown, as: string) => {
    const asked: unknown[] = [];
    const seen = createSeen((...request) => asked.push(request));
    expect([seen(value, 'line 1: a text', as), seen(value, 'line 1: a text', as)]).toEqual([value, value]);
    return asked.length === 1;
  };

  it.each([
    ...['[EMAIL_1]', 'to [NAME_12]', ' [A_1]', '%5BSSN_1%5D', '=5BSSN_1]', '&#91;SSN_1]', '\\u005bSSN_1]'],
    ...['[A_1]', '[SSN_1]', 'from [Z_1]', 'a[ID_2]', 'aa[B_77]'].flatMap((text) => [
      Buffer.from(text).toString('base64'),
      Buffer.from(text).toString('hex'),
      Buffer.from(text, 'utf16le').toString('base64'),
    ]),
  ])('reports a text that may hold a placeholder: %s', (text) => {
    for (const as of ['same', 'list', 'value']) expect(isReported(text, as)).toBe(true);
  });

  it.each<[unknown, string]>([
    [[...'[SSN_1]'], 'list'],
    [[...Buffer.from('[SSN_1]')], 'list'],
    [new Map(), 'list'],
    [['[SSN_1]'], 'value'],
    [{}, 'value'],
    [() => 1, 'same'],
  ])('reports %j as %s', (value, as) => expect(isReported(value, as)).toBe(true));

  it.each<[unknown, string]>([
    ['', 'value'],
    ['team', 'value'],
    ['Enterprise', 'same'],
    ['in progress', 'list'],
    ['A-1', 'value'],
    ['2026-03-01T10:00:00Z', 'value'],
    ['415 200 1000', 'value'],
    [7, 'value'],
    [null, 'value'],
    [[{ email: '[EMAIL_1]' }], 'list'],
    [['[EMAIL_1]'], 'list'],
    [[], 'list'],
    [['[EMAIL_1]'], 'same'],
    [undefined, 'list'],
  ])('does not report %j as %s', (value, as) => expect(isReported(value, as)).toBe(false));
});
