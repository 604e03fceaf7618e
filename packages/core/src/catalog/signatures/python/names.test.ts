import { expect, it } from 'vitest';
import { needsPython, python } from '../../../../../../test/fixtures/python.ts';
import { HOSTILE_DEFINITIONS } from '../../../../../../test/hostile-tools.ts';
import { exportNames, primaryNames } from '../../names/exports.ts';
import { isIdentifier, keywordAliases, keywordNames, PYTHON_NAMES } from './names.ts';

const HOSTILE_NAMES = [
  ...HOSTILE_DEFINITIONS.map(({ name }) => name),
  ...[
    '__getattr__',
    '__all__',
    '_call',
    '_arguments',
    'ﬁle',
    'file',
    'café',
    'cafe\u0301',
    '\u{1e4d0}',
    '\u10c9x',
    '²x',
    'x²',
    'İ',
    '\ud800',
    'match',
  ],
];

function exportsOf(...names: string[]): [string, string][] {
  return [...exportNames(names, PYTHON_NAMES)].sort();
}

needsPython.describe('PYTHON_NAMES', () => {
  it('keeps identifiers and adds snake_case aliases', () => {
    expect(
      exportsOf('create_issue', 'list-issues', 'getURL', 'GET_USER', 'parseJSONFile', 'ChaDri.change_drink'),
    ).toEqual([
      ['GET_USER', 'GET_USER'],
      ['cha_dri_change_drink', 'ChaDri.change_drink'],
      ['create_issue', 'create_issue'],
      ['getURL', 'getURL'],
      ['get_url', 'getURL'],
      ['get_user', 'GET_USER'],
      ['list_issues', 'list-issues'],
      ['parseJSONFile', 'parseJSONFile'],
      ['parse_json_file', 'parseJSONFile'],
    ]);
  });

  it('avoids keywords and names with a meaning for modules; builtins are attributes only', () => {
    expect(
      exportsOf('class', 'list', 'match', 'type', '__getattr__', '__all__', '_call', 'TypeError', '2fa', ''),
    ).toEqual([
      ['TypeError', 'TypeError'],
      ['all_', '__all__'],
      ['call', '_call'],
      ['class_', 'class'],
      ['getattr_', '__getattr__'],
      ['list', 'list'],
      ['list_', 'list'],
      ['match', 'match'],
      ['tool', ''],
      ['tool_2fa', '2fa'],
      ['type', 'type'],
      ['type_', 'type'],
      ['type_error', 'TypeError'],
    ]);
  });

  it('distinguishes names that differ in punctuation only', () => {
    const names = exportsOf('a-b', 'a_b', 'a.b');
    expect(names.map(([, tool]) => tool)).toEqual(['a_b', ...names.slice(1).map(([, tool]) => tool)]);
    expect(names.every(([name, tool]) => (tool === 'a_b' ? name === 'a_b' : /^a_b_[\da-f]{6}$/.test(name)))).toBe(true);
    expect(names).toHaveLength(3);
  });

  it('gives every tool at least one name, in any order', () => {
    const exports = exportNames(HOSTILE_NAMES, PYTHON_NAMES);
    expect(new Set(exports.values())).toEqual(new Set(HOSTILE_NAMES));
    expect([...primaryNames(exports).values()].filter((name) => !PYTHON_NAMES.isName(name))).toEqual([]);
    expect(exportNames([...HOSTILE_NAMES].reverse(), PYTHON_NAMES)).toEqual(exports);
  });

  it('agrees with Python about identifiers', () => {
    const names = [...exportNames(HOSTILE_NAMES, PYTHON_NAMES).keys()];
    const code = `
import builtins, keyword, unicodedata
names = json.load(sys.stdin)
bad = [n for n in names if not n.isidentifier() or keyword.iskeyword(n) or unicodedata.normalize("NFKC", n) != n]
print(json.dumps([bad, keyword.kwlist + [n for n in dir(builtins) if not n.startswith("_")]]))`;
    const [bad, taken] = python(code, names) as [string[], string[]];
    expect(bad).toEqual([]);
    expect(taken.length).toBeGreaterThan(150);
    expect(
      taken.filter((name) => PYTHON_NAMES.isName(name) || PYTHON_NAMES.isName(PYTHON_NAMES.alias(name)) === false),
    ).toEqual([]);
  });

  it('accepts no letter that Python rejects', () => {
    const letters = Array.from({ length: 0x30000 }, (_, code) => String.fromCodePoint(code)).filter(isIdentifier);
    expect(letters.length).toBeGreaterThan(20_000);
    expect(python('print(json.dumps([n for n in json.load(sys.stdin) if not n.isidentifier()]))', letters)).toEqual([]);
  });
});

needsPython.describe('keywordNames', () => {
  it('names only parameters that are not identifiers', () => {
    const names = ['type', 'from', 'odd name', 'odd_name', 'X-Api-Key', 'perPage', '_meta', '__proto__', '', '1st'];
    expect(keywordNames(names)).toEqual(
      new Map([
        ['_', ''],
        ['_1st', '1st'],
        ['from_', 'from'],
        [expect.stringMatching(/^odd_name_[\da-f]{6}$/), 'odd name'],
        ['x_api_key', 'X-Api-Key'],
      ]),
    );
  });

  it('gives camelCase parameters a snake_case keyword, unless another parameter has that name', () => {
    expect(keywordAliases(['pageSize', 'userID', 'sortBy', 'sort_by', 'aB', 'AB'])).toEqual(
      new Map([
        ['page_size', 'pageSize'],
        ['user_id', 'userID'],
        ['ab', 'AB'],
        ['a_b', 'aB'],
      ]),
    );
  });
});
