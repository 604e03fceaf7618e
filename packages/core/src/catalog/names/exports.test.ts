import { describe, expect, it } from 'vitest';
import { HOSTILE_DEFINITIONS } from '../../../../../test/hostile-tools.ts';
import { exportNames, isFunctionName, primaryNames } from './exports.ts';

const HOSTILE_NAMES = HOSTILE_DEFINITIONS.map(({ name }) => name);

describe('exportNames', () => {
  it('exports identifiers under themselves and adds camelCase aliases', () => {
    expect(exportNames(['create_issue', 'list-issues', 'getURL', 'GET_USER', 'ChaDri.change_drink'])).toEqual(
      new Map([
        ['create_issue', 'create_issue'],
        ['getURL', 'getURL'],
        ['GET_USER', 'GET_USER'],
        ['createIssue', 'create_issue'],
        ['listIssues', 'list-issues'],
        ['getUser', 'GET_USER'],
        ['chaDriChangeDrink', 'ChaDri.change_drink'],
      ]),
    );
  });

  it('distinguishes names that differ in punctuation only', () => {
    const exports = exportNames(['a-b', 'a_b', 'a.b']);
    expect(exports.get('a_b')).toBe('a_b');
    expect([...exports.values()].sort()).toEqual(['a-b', 'a.b', 'a_b']);
    expect([...exports.keys()].every((name) => name === 'a_b' || /^aB_[\da-f]{6}$/.test(name))).toBe(true);
  });

  it('never gives an alias the name of another tool', () => {
    const exports = exportNames(['create-issue', 'createIssue']);
    expect(exports.get('createIssue')).toBe('createIssue');
    expect(exports.size).toBe(2);
  });

  it.each(['default', 'then', '__proto__'])('does not export %s under its own name', (name) => {
    const exports = exportNames([name]);
    expect([...exports.values()]).toEqual([name]);
    expect(exports.has(name)).toBe(false);
  });

  it.each(['delete', 'import', 'constructor', 'class', 'await'])('exports %s, of a function with _', (name) => {
    expect([...exportNames([name]).keys()]).toEqual([`${name}_`, name]);
    expect(exportNames([name, `${name}_`]).get(`${name}_`)).toBe(`${name}_`);
    expect(exportNames([name.toUpperCase()]).get(name)).toBe(name.toUpperCase());
  });

  it.each([
    ['API-get-users', 'apiGetUsers'],
    ['HTTP Request', 'httpRequest'],
    ['HTTPRequest', 'httpRequest'],
    ['Create_Issue', 'createIssue'],
    ['get-URL', 'getURL'],
    ['x-API', 'xAPI'],
  ])('the alias of %s is %s', (name, alias) => {
    expect(exportNames([name]).get(alias)).toBe(name);
  });

  it('gives every tool at least one valid export, in any order', () => {
    const exports = exportNames(HOSTILE_NAMES);
    expect(new Set(exports.values())).toEqual(new Set(HOSTILE_NAMES));
    expect([...primaryNames(exports).values()].filter((name) => !isFunctionName(name))).toEqual([]);
    expect(exportNames([...HOSTILE_NAMES].reverse())).toEqual(exports);
  });
});
