import { expect, test } from 'vitest';
import { longestTurnOf } from '../../../../../test/fixtures/turns.ts';
import { literalsOf } from './program-literals.ts';

test.each([
  [`return u.email === 'ann@x.com'`, 'ann@x.com'],
  ['if (zip == "75255") {}', '75255'],
  ['const found = [`Ann Smith`]', 'Ann Smith'],
  [`sql = "SELECT * FROM t WHERE name = 'Ann Smith'"`, 'Ann Smith'],
  ["// don't stop\nconst a = 'Ann'", 'Ann'],
  ["say('it’s'); const who = 'Ann'", 'Ann'],
  ['return rows.filter((r) => r.phone === 4_155_550_123)', '4155550123'],
  ['return /@x\\.com$/.test(email)', '@x.com'],
  ["re.search(r'^Jo', name)", 'Jo'],
  ["return name.toLowerCase() === 'ann smith'", 'Ann Smith'],
])('%s has the text %s', async (source, literal) => {
  expect(await literalsOf(source)).toContain(literal);
});

test('other cases count only in programs that fold case', async () => {
  expect(await literalsOf("a === 'ann'")).not.toContain('Ann');
});

test.each([
  ['one line', `'"\`/`.repeat(125_000)],
  ['many lines', 'a += 1;\n'.repeat(64_000)],
  ['many texts', Array.from({ length: 40_000 }, (_, index) => `"v${index}"`).join(',')],
])('a program of the maximal size leaves time for other work, %s', async (_kind, source) => {
  expect(await longestTurnOf(() => literalsOf(source))).toBeLessThan(50);
});
