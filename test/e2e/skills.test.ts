import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDesk } from '../fixtures/command-line.ts';

/** Opens a desk with folders of skills, by name, as texts of `SKILL.md`. */
function deskWith(skills: Readonly<Record<string, string>>) {
  const desk = openDesk();
  for (const [name, text] of Object.entries(skills)) {
    mkdirSync(join(desk.folder, name), { recursive: true });
    writeFileSync(join(desk.folder, name, 'SKILL.md'), text);
  }
  return desk;
}

describe('toolwright skills check', () => {
  test('reports that a folder is valid', async () => {
    const desk = deskWith({
      'pdf-forms': '---\nname: pdf-forms\ndescription: Fills forms.\nlicense: MIT\n---\nBody\n',
    });
    expect(await desk.run(['skills', 'check', 'pdf-forms'])).toEqual({ code: 0, out: 'pdf-forms: valid\n', err: '' });
    expect((await desk.run(['skills', 'check', 'pdf-forms/'])).code).toBe(0);
  });

  test('prints every problem with its fix, and exits with 1', async () => {
    const desk = deskWith({ Bad_Name: '---\nname: Bad_Name\nuser-invocable: true\n---\n' });
    symlinkSync('/etc/passwd', join(desk.folder, 'Bad_Name/link'));
    const { code, out, err } = await desk.run(['skills', 'check', 'Bad_Name']);
    expect(code).toBe(1);
    expect(out.trim().split('\n')).toEqual([
      'Bad_Name: link is neither a file nor a folder. Replace it with a regular file.',
      'Bad_Name: The folder "Bad_Name" must consist of lower-case letters a-z, digits and single hyphens between them. Use "bad-name".',
      'Bad_Name: "description" is missing. Say what the skill does and when to use it.',
    ]);
    expect(err).toBe('Bad_Name: warning: Unknown field: "user-invocable". Move it to "metadata".\n');
  });

  test('reports a skill whose file has its name in another case, also next to others', async () => {
    const desk = deskWith({ 'pdf-forms': '---\nname: pdf-forms\ndescription: Fills forms.\n---\n' });
    mkdirSync(join(desk.folder, 'lower'));
    writeFileSync(join(desk.folder, 'lower', 'skill.md'), '---\nname: lower\ndescription: x\n---\n');
    const { code, out } = await desk.run(['skills', 'check', '.']);
    expect([code, out]).toEqual([1, 'lower: There is no SKILL.md. Rename skill.md to SKILL.md.\npdf-forms: valid\n']);
  });

  test('accepts deviations of published skills, with a warning for each', async () => {
    const metadata =
      'metadata:\n  version: 1.10\n  id: 1917043659912705296\n  draft: true\n  more: { bins: [a] }\nallowed-tools: [1]';
    const desk = deskWith({
      mine: `---\nname: other\ndescription: ${'x'.repeat(1_025)}\ncompatibility: ""\n${metadata}\n---\n`,
    });
    const { code, out, err } = await desk.run(['skills', 'check', 'mine']);
    expect([code, out]).toEqual([0, 'mine: valid\n']);
    expect(err.trim().split('\n')).toEqual([
      expect.stringContaining('mine: warning: The front matter is not valid as it is, and was read with quotes.'),
      'mine: warning: "name" is "other" and the folder is "mine". They must be the same.',
      'mine: warning: "description" has 1025 characters; the limit is 1024. Shorten it, and move details below the front matter.',
      'mine: warning: "compatibility" must be text of 1 to 500 characters. Shorten it, or leave it out.',
      'mine: warning: "metadata" must map text to text. Quote values that YAML reads as numbers: version: "1.0".',
      'mine: warning: "allowed-tools" must be a text with spaces between tools, or a list of texts.',
    ]);
  });

  test.each([
    ['', 'must start with front matter'],
    ['# Title\n', 'must start with front matter'],
    ['---\nname: s\n', 'must start with front matter'],
    ['---\n- a\n---\n', 'must be a map of fields'],
    ['---\nname: s\nname: s\ndescription: x\n---\n', 'The front matter is not valid YAML'],
    [
      '---\na: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c, *c, *c, *c]\n---\n',
      'The front matter is not valid YAML',
    ],
    [`---\nname: s\ndescription: x\nx: ${'y'.repeat(70_000)}\n---\n`, 'characters; the limit is 65536'],
  ])('refuses the SKILL.md %.40j', async (text, problem) => {
    const { code, out } = await deskWith({ s: text }).run(['skills', 'check', 's']);
    expect([code, out]).toEqual([1, expect.stringContaining(problem)]);
  });

  test('checks a folder of skills', async () => {
    const desk = deskWith({
      'all/a': '---\nname: a\ndescription: A\n---\n',
      'all/b': '---\nname: b\n---\n',
    });
    const { code, out } = await desk.run(['skills', 'check', 'all', '--json']);
    const report = JSON.parse(out);
    expect([code, report.skills.map((skill: { problems: string[] }) => skill.problems.length)]).toEqual([1, [0, 1]]);
    expect(await desk.run(['skills', 'check', 'none'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('The folder none does not exist.'),
    });
  });
});

test('a skill is saved by a program, listed, shown and run', async () => {
  const desk = openDesk();
  const program = `await fs.mkdir('/skills/greet');
await fs.writeFile('/skills/greet/SKILL.md', '---\\nname: greet\\ndescription: Greets somebody.\\n---\\n');
await fs.writeFile('/skills/greet/index.ts', 'export const greet = (name: string, mark = "!"): string => "Hello " + name + mark;');`;
  expect(await desk.run(['run', '-e', program])).toMatchObject({ code: 0, err: '' });
  expect(await desk.run(['skills'])).toMatchObject({ code: 0, out: 'greet  Greets somebody.\n' });
  expect(await desk.run(['skills', 'list', 'weather'])).toMatchObject({
    code: 0,
    out: '',
    err: 'No skill matches the query.\n',
  });
  const shown = await desk.run(['skills', 'show', 'greet']);
  expect(shown.out).toContain('--- index.ts\nexport const greet');
  expect(JSON.parse((await desk.run(['skills', 'show', 'greet', '1', '--json'])).out)).toMatchObject({
    version: 1,
    signatures: [{ call: 'run_skill("greet", {name: string, mark?: string}): string' }],
  });
  const args = ['--args', '{"name":"Ada \\"\\u2028"}'];
  expect(await desk.run(['skills', 'run', 'greet', ...args])).toEqual({
    code: 0,
    out: 'Hello Ada "\\u2028!\n',
    err: '',
  });
  const wrong = await desk.run(['skills', 'run', 'greet', '--args', '[1]']);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--args requires a JSON object') });
  const none = await desk.run(['skills', 'run', '../x']);
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('Unknown skill "../x". Skills: greet.') });
  const file = join(desk.folder, 'state/toolwright/users/local/skills/greet/SKILL.md');
  expect(readFileSync(file, 'utf8')).toContain('name: greet');
});
