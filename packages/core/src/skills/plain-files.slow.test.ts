import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { createToolwright } from '../toolwright.ts';

const toolwright = await createToolwright({ dataDir: temporaryFolder(), sandbox: 'auto' });
afterAll(() => toolwright.close());

async function run(source: string, userId: string, language: 'typescript' | 'python' = 'typescript') {
  const result = await toolwright.execute(source, { userId, language });
  const logs = result.logs.map(({ text }) => text);
  return { logs, value: result.status === 'completed' ? result.value : result };
}

const SUMMARY = `await fs.writeFile('/skills/sales_summary.js', \`
  // Adds up the sales of a period.
  module.exports = async function summarizeSales(data) {
    return data.reduce((acc, sale) => {
      acc.total += sale.amount;
      acc.count += 1;
      return acc;
    }, { total: 0, count: 0 });
  };
\`);`;

describe('a plain file below /skills', () => {
  test('is a skill for the program itself, and for later programs, under each of its names', async () => {
    const own = await run(
      `${SUMMARY}
const { default: summarize } = await import('/skills/sales_summary.js');
return [await summarize([{ amount: 2 }]), await run_skill('sales_summary', { data: [] })];`,
      'ada',
    );
    expect(own).toEqual({
      logs: [],
      value: [
        { total: 2, count: 1 },
        { total: 0, count: 0 },
      ],
    });
    const later = await run(
      `import summarize, { summarizeSales } from '/skills/sales_summary.js';
import { summarizeSales as same } from './skills/sales-summary/index.js';
const text = await fs.readFile('/skills/sales_summary.js');
return [await fs.readdir('/skills'), await fs.exists('/skills/sales_summary.js'), text.includes('module.exports'),
  await summarize([{ amount: 1 }]), (await summarizeSales([])).count, (await same([])).count, (await load_skill('sales_summary')).length > 0];`,
      'ada',
    );
    expect(later.value).toEqual([['sales-summary'], true, true, { total: 1, count: 1 }, 0, 0, true]);
    const [listed] = await toolwright.skills('ada').list();
    expect([listed?.description, listed?.signatures[0]?.call]).toEqual([
      'Adds up the sales of a period.',
      'run_skill("sales-summary", {data: unknown})',
    ]);
    expect((await toolwright.skills('ada').load('sales_summary')).name).toBe('sales-summary');
  });

  test('may be TypeScript or Python, and is replaced and removed like a file', async () => {
    await run(
      "await fs.writeFile('/skills/addUp.ts', 'export const addUp = (a: number, b: number): number => a + b')",
      'bob',
    );
    const python = `with open("/skills/word_count.py", "w") as file:
    file.write('''def word_count(text: str) -> int:
    """Counts words."""
    return len(text.split())
''')
from skills.word_count import word_count
word_count("a b")`;
    expect(await run(python, 'bob', 'python')).toEqual({ logs: [], value: 2 });
    const used =
      'skill = load_skill("word_count")\nexec(skill)\nresult = [word_count("a b c"), await run_skill("word-count", {"text": "a"})]';
    expect((await run(used, 'bob', 'python')).value).toEqual([3, 1]);
    expect((await toolwright.skills('bob').list()).map(({ name, description }) => [name, description])).toEqual([
      ['add-up', 'Code that a program saved as add-up: addUp.'],
      ['word-count', 'Code that a program saved as word-count: word_count.'],
    ]);
    const next = await run(
      `await fs.writeFile('/skills/new.tmp', 'export const addUp = () => 7');
await fs.rename('/skills/new.tmp', '/skills/add_up.ts');
await fs.unlink('/skills/word_count.py');
const { addUp } = await import('/skills/add_up.ts');
return addUp()`,
      'bob',
    );
    expect(next).toEqual({ logs: [], value: 7 });
    expect((await toolwright.skills('bob').list()).map(({ name, version }) => [name, version])).toEqual([
      ['add-up', 2],
    ]);
  });

  test.each([
    [
      'a syntax error',
      "await fs.writeFile('/skills/bad.js', 'module.exports = (')",
      'SKILL_INVALID',
      /^\/skills\/bad\.js was not written: .* at line 1, column \d+ of \/skills\/bad\.js\. Correct it and write it again\.$/,
    ],
    [
      'another name of the same skill',
      "await fs.writeFile('/skills/a_b.js', ''); await fs.writeFile('/skills/aB.js', '')",
      'FILE_ERROR',
      /^EEXIST: \/skills\/aB\.js and \/skills\/a_b\.js are both the code of the skill "a-b"\. Write one of them, or use another name\.$/,
    ],
    [
      'code in the same language',
      "await fs.writeFile('/skills/a.ts', ''); await fs.writeFile('/skills/a.js', '')",
      'FILE_ERROR',
      /^EEXIST: \/skills\/a\.js and \/skills\/a\/index\.ts are both the code/,
    ],
    ['a missing file', "await fs.readFile('/skills/gone_far.js')", 'FILE_ERROR', /\/skills\/gone_far\.js/],
  ])('%s is one clear sentence', async (_name, source, code, message) => {
    const { value } = await run(source, 'eve');
    expect(value).toMatchObject({ status: 'failed', error: { code, message: expect.stringMatching(message) } });
    expect(await toolwright.skills('eve').list()).toEqual([]);
  });

  test('with a syntax error of Python is reported where it is written', async () => {
    for (const source of [
      'write_file("/skills/bad.py", "x = = 1")',
      'with open("/skills/bad.py", "w") as file:\n    file.write("x = = 1")',
    ]) {
      const { value } = await run(source, 'eve', 'python');
      expect(value).toMatchObject({
        status: 'failed',
        error: { code: 'SYNTAX', message: expect.stringMatching(/line 1, column 5 of skills\/bad\.py/) },
      });
    }
  });
});

test('a skill may be saved with underscores, and its language is recognised', async () => {
  const code = "def filter_high_risk(vulns): return [v for v in vulns if v['severity'] in ['high', 'critical']]";
  const saved = await toolwright.skills('ada').save({ name: 'filter_high_risk', description: 'High risk only.', code });
  expect([saved.name, saved.signatures[0]?.language]).toEqual(['filter-high-risk', 'python']);
  const program = `skill = load_skill("filter_high_risk")
exec(skill)
vulns = json.loads('[{"severity": "high"}, {"severity": "low"}]')
result = filter_high_risk(vulns)`;
  const { status, ...rest } = await toolwright.execute(program, { userId: 'ada' });
  expect([status, 'value' in rest && rest.value]).toEqual(['completed', [{ severity: 'high' }]]);
});
