import { expect, test } from 'vitest';
import { literalsOf } from './literals.ts';

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
])('%s has the text %s', (source, literal) => {
  expect(literalsOf(source)).toContain(literal);
});

test('other cases count only in programs that fold case', () => {
  expect(literalsOf("a === 'ann'")).not.toContain('Ann');
});

test('takes linear time', () => {
  const started = process.cpuUsage();
  literalsOf(`'"\`/`.repeat(250_000));
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000);
});
