// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs are texts
import { describe, expect, it } from 'vitest';
import { parseProgram } from '../parse.ts';
import { applyEdits } from '../shape.ts';
import { computedEdits } from './computed.ts';

const rewritten = (source: string) =>
  applyEdits(source, computedEdits(source, parseProgram(source)))
    .replaceAll('__toolwright_values', '$')
    .replaceAll(/, "line \d+: [^"]*"(?:(, "\w+")(?:, "[^"]*")*)?/g, '$1');

describe('computedEdits', () => {
  it.each([
    ['a.email.toLowerCase() === b.email', '$.equal($.on(a.email, "toLowerCase").toLowerCase() , b.email)'],
    ['a.name.trim().length', '$.on($.on(a.name, "trim").trim(), "length").length'],
    [
      'p?.email.toLowerCase()',
      '$.chain(p, (__toolwright_link) => $.on(__toolwright_link.email, "toLowerCase").toLowerCase())',
    ],
    [
      'p.email?.trim().endsWith(q.x.trim())',
      '$.chain(p.email, (__toolwright_link) => $.on($.on(__toolwright_link, "trim").trim(), "endsWith").endsWith($.on(q.x, "trim").trim()))',
    ],
    ['f(x)?.a.b.length', '$.chain(f(x), (__toolwright_link) => $.on(__toolwright_link.a.b, "length").length)'],
    ['p.email?.toLowerCase()', '$.on(p.email, "toLowerCase")?.toLowerCase()'],
    [
      'list.sort((a, b) => (a.x < b.x ? -1 : 1))',
      '$.on(list, "sort").sort((a, b) => ($.ordered(a.x , "<", b.x) ? -1 : 1))',
    ],
    ['new Date(p.born).getFullYear()', '$.year(p.born, "getFullYear")'],
    ['l.sort((a, b) => new Date(a.d) - new Date(b.d))', '$.on(l, "sort").sort((a, b) => $.dates(a.d, b.d))'],
    ["p.email.slice(p.email.indexOf('@') + 1)", '$.domain(p.email, "indexOf", "slice")'],
    ["new Date(p.born) < new Date('1980-01-01')", "$.dates(p.born, '1980-01-01') < 0"],
    ['limit >= new Date(p.born).getTime()', '$.until(limit, p.born) >= 0'],
    ['Math.floor((Date.now() - new Date(p.born)) / year)', '$.spans(Date.now(), p.born, year)'],
    [
      "createHash('md5').update(p.email.trim())\n.digest('hex')",
      '$.hash(createHash(\'md5\'), $.on(p.email, "trim").trim(), \n"md5")',
    ],
    [
      'segments.get(p.phone.match(/\\d/g).join(""))',
      '$.on(segments, "get").get($.method($.on(p.phone, "match").match(/\\d/g), "join", "p.phone.match(...).join").join(""))',
    ],
    ['`${a} ${b}`.toLowerCase()', '$.on(`${a} ${b}`, "toLowerCase").toLowerCase()'],
    ["p.name.indexOf('x') >= 0", "$.has(p.name, 'x')"],
    ['if (p.name.trim().indexOf(q) === -1) f()', 'if (!$.has($.on(p.name, "trim").trim(), q)) f()'],
    ["p.name[0] === 'S'", '$.equal($.on(p.name, "0")[0] , \'S\')'],
    ['a.trim() !== b', '!$.equal($.on(a, "trim").trim() , b)'],
  ])('rewrites %s', (source, expected) => expect(rewritten(source)).toBe(expected));

  it.each([
    ['try { a.trim() } catch (e) { f(e) }', 'try { $.on(a, "trim").trim() } catch (e) {$.caught(e); f(e) }'],
    [
      'try { a.trim() } catch ({ message }) { f(message) }',
      'try { $.on(a, "trim").trim() } catch (__toolwright_error) {let { message } = $.caught(__toolwright_error); f(message) }',
    ],
    ['f(a.trim()).catch((e) => e.at(0))', 'f($.on(a, "trim").trim()).catch($.handler((e) => $.on(e, "at").at(0)))'],
    ['f(a.trim()).then(g, h)', 'f($.on(a, "trim").trim()).then(g, $.handler(h))'],
  ])('lets errors be caught in plain words: %s', (source, expected) => expect(rewritten(source)).toBe(expected));

  it.each([
    ['a.b[0].trim()', '"trim", "a.b[0].trim"'],
    ['(x as any).y!["z"].at(1)', '"at", "x.y.z.at"'],
    ['(await f(1)).g[i].trim()', '"trim", "(intermediate value).g[i].trim"'],
    ['p?.email.trim()', '"trim", "p?.email.trim"'],
    ["p.tags.split(',').first()", '"first", "p.tags.split(...).first"'],
  ])('writes the words of errors about %s: %s', (source, words) =>
    expect(applyEdits(source, computedEdits(source, parseProgram(source)))).toContain(words),
  );

  it.each([
    'list.length = 0',
    'try { f() } catch (e) { g(e) }',
    'for (let i = 0; i < n; i++) a[i]++',
    'a.email === b.email',
    "x.kind === 'user'",
    '[1].indexOf(a) >= 0',
    "f('x') >= 0",
    'new Date(a.d) - new Date(b.d)',
    'new a.length()',
    'type A = { length: 1 }; const b: A["length"] = 1',
  ])('leaves %s as it is', (source) => expect(rewritten(source)).toBe(source));
});
