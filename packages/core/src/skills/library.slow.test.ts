import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { processorTime } from '../../../../test/fixtures/processor-time.ts';
import { failureOf } from '../../../../test/fixtures/server.ts';
import { pythonLanguage } from '../../../sandbox/src/languages/python.ts';
import { typescriptLanguage } from '../../../sandbox/src/languages/typescript.ts';
import { openGuestSkills } from './guest-skills.ts';
import { createSkillLibraries } from './library.ts';
import { openRefusedSkills } from './refused.ts';
import { SKILL_LIMITS } from './skill.ts';

const languages = [typescriptLanguage(), pythonLanguage()];
const CODE = 'export const twice = (n: number): number => n * 2;';

function open(dataDir = temporaryFolder()) {
  const libraries = createSkillLibraries(dataDir, languages);
  return { dataDir, libraries, library: libraries('ada'), folder: join(dataDir, 'users/ada/skills') };
}

describe('a skill', () => {
  test('is saved as a folder by the public rules', async () => {
    const { library, folder } = open();
    const saved = await library.save({
      name: 'twice-it',
      description: 'Doubles a number: 2 becomes 4. Use when "twice" is asked for.',
      license: 'MIT',
      metadata: { version: '1.0' },
      allowedTools: ['Read', 'Bash(git:*)'],
      body: 'Call `twice(n)`.',
      code: CODE,
      files: { 'references/more.md': '# More', 'assets/dot.bin': new Uint8Array([0, 255]) },
    });
    expect(saved).toEqual({
      name: 'twice-it',
      description: 'Doubles a number: 2 becomes 4. Use when "twice" is asked for.',
      version: 1,
      signatures: [
        {
          language: 'typescript',
          path: 'index.ts',
          call: 'run_skill("twice-it", {n: number}): number',
          exports: ['twice'],
        },
      ],
    });
    expect(readdirSync(join(folder, 'twice-it')).sort()).toEqual(['SKILL.md', 'assets', 'index.ts', 'references']);
    expect(readFileSync(join(folder, 'twice-it/SKILL.md'), 'utf8')).toBe(
      `---
name: twice-it
description: 'Doubles a number: 2 becomes 4. Use when "twice" is asked for.'
license: MIT
metadata:
  version: "1.0"
allowed-tools: Read Bash(git:*)
---

Call \`twice(n)\`.
`,
    );
  });

  test('is loaded with its text, its files and their bytes', async () => {
    const { library } = open();
    await library.save({ name: 'a', description: 'A', code: CODE, files: { 'b.bin': new Uint8Array([255]) } });
    const { files, frontMatter, body, versions } = await library.load('a');
    expect(files.map(({ path, text }) => [path, text])).toEqual([
      ['SKILL.md', expect.stringContaining('name: a')],
      ['b.bin', undefined],
      ['index.ts', CODE],
    ]);
    expect([...(files[1]?.bytes ?? [])]).toEqual([255]);
    expect(frontMatter).toEqual({ name: 'a', description: 'A' });
    expect(body).toContain('# a');
    expect(versions).toEqual([{ version: 1, savedAt: expect.stringMatching(/^\d{4}-/) }]);
  });

  test('can have its own SKILL.md', async () => {
    const { library } = open();
    const text = '---\r\nname: own\r\ndescription: >\r\n  Folded\r\n  text\r\n---\r\nBody\r\n';
    await library.save({ name: 'own', files: { 'SKILL.md': text } });
    expect((await library.load('own')).files[0]?.text).toBe(text);
    expect(await library.list()).toMatchObject([{ name: 'own', description: 'Folded text\n', signatures: [] }]);
    const failure = await failureOf(library.save({ name: 'own', description: 'x', files: { 'SKILL.md': text } }));
    expect(failure.message).toContain('SKILL.md is given twice');
  });

  test('is removed with all its versions', async () => {
    const { library, dataDir } = open();
    await library.save({ name: 'a', description: 'A' });
    await library.remove('a');
    expect(await library.list()).toEqual([]);
    expect((await failureOf(library.load('a', { version: 1 }))).code).toBe('UNKNOWN_SKILL');
    expect((await failureOf(library.remove('a'))).code).toBe('UNKNOWN_SKILL');
    expect(readdirSync(join(dataDir, 'users/ada/skill-changes'))).toEqual([]);
  });
});

describe('versions', () => {
  test('stay readable, up to a limit', async () => {
    const { library } = open();
    for (let count = 1; count <= SKILL_LIMITS.versions + 2; count++) {
      expect((await library.save({ name: 'a', description: `D${count}` })).version).toBe(count);
    }
    const { version, versions, description } = await library.load('a');
    expect([version, versions.length, description]).toEqual([22, SKILL_LIMITS.versions, 'D22']);
    expect(await library.load('a', { version: 3 })).toMatchObject({ version: 3, description: 'D3' });
    const { code, message } = await failureOf(library.load('a', { version: 2 }));
    expect([code, message]).toEqual([
      'UNKNOWN_SKILL',
      expect.stringContaining('has no version 2. Saved versions: 22, 21'),
    ]);
  });

  test('include changes by hand, before they are replaced', async () => {
    const { library, folder } = open();
    await library.save({ name: 'a', description: 'A', code: 'export const a = () => 1' });
    writeFileSync(join(folder, 'a/index.ts'), 'export const byHand = () => 2');
    expect((await library.load('a')).version).toBe(0);
    await library.save({ name: 'a', description: 'A', code: 'export const c = () => 3' });
    const texts = await Promise.all([1, 2, 3].map((version) => library.load('a', { version })));
    expect(texts.map(({ signatures }) => signatures[0]?.exports)).toEqual([['a'], ['byHand'], ['c']]);
  });

  test('of concurrent saves in two programs are all kept', async () => {
    const { dataDir } = open();
    const writers = [open(dataDir).library, open(dataDir).library];
    const saves = Array.from({ length: 10 }, (_, index) =>
      writers[index % 2]?.save({ name: 'a', description: `D${index}`, code: CODE }),
    );
    const seen = new Set<string>();
    let saving = true;
    const all = Promise.all(saves).finally(() => {
      saving = false;
    });
    const reader = open(dataDir).library;
    while (saving) {
      for (const { description } of await reader.list()) seen.add(description);
    }
    await all;
    const { versions } = await reader.load('a');
    const reported = await Promise.all(
      versions.map(async ({ version }) => (await reader.load('a', { version })).description),
    );
    expect(new Set(reported)).toEqual(new Set(Array.from({ length: 10 }, (_, index) => `D${index}`)));
    expect([...seen].filter((description) => !/^D\d$/.test(description))).toEqual([]);
  });
});

describe('a refused skill', () => {
  test('is reported with every problem at once, and nothing is saved', async () => {
    const { library } = open();
    const draft = {
      name: '../X',
      description: '',
      compatibility: 'y'.repeat(501),
      files: { '../escape.md': 'x', '/etc/passwd': 'x', 'a\\b': 'x', 'a//b': 'x' },
    };
    const { code, details, message } = await failureOf(library.save(draft));
    expect(code).toBe('SKILL_INVALID');
    expect(details.problems).toHaveLength(7);
    expect(message).toContain('Use "x".');
    expect(await library.list()).toEqual([]);
  });

  test.each(['..', '../x', '/x', 'a/b', 'A', 'a--b', 'a-', '', 'a\u0000', 'а', 'constructor.x', 'a'.repeat(65)])(
    'has the name %j',
    async (name) => {
      const { library } = open();
      expect((await failureOf(library.save({ name, description: 'x' }))).code).toBe('SKILL_INVALID');
      expect((await failureOf(library.load(name))).code).toBe('UNKNOWN_SKILL');
      expect((await failureOf(library.remove(name))).code).toBe('UNKNOWN_SKILL');
    },
  );

  test('has a description that is too long, counted in characters', async () => {
    const { library } = open();
    await library.save({ name: 'a', description: '😀'.repeat(1_024) });
    const { message } = await failureOf(library.save({ name: 'a', description: 'x'.repeat(1_025) }));
    expect(message).toContain('1025 characters; the limit is 1024');
  });

  test('has too many bytes', async () => {
    const { library } = open();
    const files = { 'a.bin': new Uint8Array(SKILL_LIMITS.bytes) };
    const { code, message } = await failureOf(library.save({ name: 'a', description: 'x', files }));
    expect([code, message]).toEqual([
      'SKILL_INVALID',
      expect.stringContaining('bytes together; the limit is 16777216'),
    ]);
  });
});

describe('a folder', () => {
  test('that is not a skill is listed as broken, and the error of loading it has the reason', async () => {
    const { library, folder } = open();
    mkdirSync(join(folder, 'draft'), { recursive: true });
    writeFileSync(join(folder, 'draft/index.ts'), CODE);
    const problem = expect.stringContaining('There is no SKILL.md. Add it');
    expect(await library.list()).toEqual([{ name: 'draft', description: '', version: 0, signatures: [], problem }]);
    expect(await library.list('draft')).toEqual([]);
    const { code, message } = await failureOf(library.load('draft'));
    expect([code, message]).toEqual(['SKILL_INVALID', expect.stringContaining('There is no SKILL.md. Add it')]);
  });

  test('with a link is not a skill, and the link is not followed', async () => {
    const { library, folder } = open();
    await library.save({ name: 'a', description: 'A' });
    symlinkSync('/etc/passwd', join(folder, 'a/passwd'));
    const problem = expect.stringContaining('passwd is neither a file nor a folder');
    expect(await library.list()).toMatchObject([{ name: 'a', problem }]);
    expect((await failureOf(library.load('a'))).message).toContain('passwd is neither a file nor a folder');
  });

  test.each([
    [
      'code',
      'index.ts',
      `export default ${'``'.repeat(100_000)}`,
      'Its code cannot be read. The source is too complex',
    ],
    ['front matter', 'SKILL.md', `---\nname: a\ndescription: ${'['.repeat(60_000)}\n---\n`, 'not valid YAML'],
  ])('with hostile %s is listed as broken, also by a new process, and read once', async (_name, file, text, reason) => {
    const { library, dataDir, folder } = open();
    await library.save({ name: 'a', description: 'A' });
    await library.save({ name: 'b', description: 'B', code: CODE });
    writeFileSync(join(folder, 'a', file), text);
    const listed = [
      { name: 'a', problem: expect.stringContaining(reason) },
      { name: 'b', description: 'B' },
    ];
    expect(await library.list()).toMatchObject(listed);
    const used = processorTime();
    for (let again = 0; again < 20; again++) expect(await library.list()).toMatchObject(listed);
    expect(used()).toBeLessThan(20_000);
    expect(await open(dataDir).library.list()).toMatchObject(listed);
    expect(await library.list('a b')).toMatchObject([{ name: 'b' }]);
  });

  test('that no language worker can read is not read again after a restart, until it changes', async () => {
    const { library, dataDir, folder } = open();
    await library.save({ name: 'a', description: 'A' });
    const text = `export default ${'``'.repeat(100_000)}`;
    const refused = [{ name: 'a', problem: expect.stringContaining('The source is too complex') }];
    writeFileSync(join(folder, 'a/index.ts'), text);
    expect(await library.list()).toMatchObject(refused);
    const records = join(dataDir, 'users/ada/refused-skills');
    const [record = '', ...others] = readdirSync(records);
    expect(others).toEqual([]);
    // The record is used in place of another reading.
    writeFileSync(join(records, record), JSON.stringify({ problems: ['recorded before'] }));
    expect(await open(dataDir).library.list()).toMatchObject([{ name: 'a', problem: 'recorded before' }]);
    writeFileSync(join(folder, 'a/index.ts'), `${text} `);
    expect(await open(dataDir).library.list()).toMatchObject(refused);
    expect(readdirSync(records)).toHaveLength(2);
    writeFileSync(join(records, record), '{');
    writeFileSync(join(folder, 'a/index.ts'), text);
    expect(await open(dataDir).library.list()).toMatchObject(refused);
  });

  test('that was refused is remembered for the last 200 contents only', async () => {
    const folder = join(temporaryFolder(), 'refused-skills');
    const refused = openRefusedSkills(folder);
    for (let id = 0; id < 205; id++) {
      await refused.add('a', `${id}`, ['no']);
      if (id === 0) utimesSync(join(folder, readdirSync(folder)[0] ?? ''), 0, 0);
    }
    expect(readdirSync(folder)).toHaveLength(200);
    expect([await refused.find('a', '0'), await refused.find('a', '204')]).toEqual([undefined, ['no']]);
  });

  test('that an interrupted save moved away is restored', async () => {
    const { library, dataDir, folder } = open();
    await library.save({ name: 'a', description: 'A' });
    const { renameSync } = await import('node:fs');
    renameSync(join(folder, 'a'), join(dataDir, 'users/ada/skill-changes/a.old.1'));
    expect(await open(dataDir).library.list()).toMatchObject([{ name: 'a', version: 1 }]);
  });
});

test('a list is searched by the descriptions of skills', async () => {
  const { library } = open();
  await library.save({ name: 'filter-high-risk', description: 'Keeps the deals with a high risk score.' });
  await library.save({ name: 'weather', description: 'Tells the weather of a city.' });
  expect((await library.list('risky deals')).map(({ name }) => name)).toEqual(['filter-high-risk']);
  expect(await library.list('zzz')).toEqual([]);
});

test('users do not see each other’s skills', async () => {
  const { libraries, library } = open();
  await library.save({ name: 'mine', description: 'Mine' });
  for (const user of ['bob', 'Ada', 'ADA', '../ada', 'ada/', '', 'ada\u0000', 'a@b.c']) {
    const other = libraries(user);
    expect(await other.list()).toEqual([]);
    expect(await other.list('mine')).toEqual([]);
    expect((await failureOf(other.load('mine'))).code).toBe('UNKNOWN_SKILL');
    expect((await failureOf(other.remove('mine'))).code).toBe('UNKNOWN_SKILL');
  }
  expect(await library.list()).toHaveLength(1);
});

test('a missing folder of skills is an empty one', async () => {
  const { library, folder } = open();
  await library.save({ name: 'a', description: 'A' });
  rmSync(folder, { recursive: true });
  expect(await library.list()).toEqual([]);
});

test.each([
  ['its code', { code: `export const data = '${'x'.repeat(7 * 1024 * 1024)}';` }],
  ['a module', { code: CODE, files: { 'lib/data.py': `data = '${'x'.repeat(600 * 1024)}'` } }],
])('a skill is not saved if %s is too long to be imported', async (_what, draft) => {
  const { library } = open();
  const failure = await failureOf(library.save({ name: 'too-long', description: 'Has too much code.', ...draft }));
  expect([failure.code, failure.message]).toEqual([
    'SKILL_INVALID',
    expect.stringMatching(
      / has \d+ bytes; the limit of one file of code is 524288 \(limits\.sourceBytes\)\. Move its data to another file/,
    ),
  ]);
  expect(await library.list()).toEqual([]);
});

test('the limit of code is that of the programs of this Toolwright, for saved skills and written files', async () => {
  const draft = {
    name: 'large',
    description: 'Has much data.',
    code: `export const data = '${'x'.repeat(600 * 1024)}';`,
  };
  const open = (codeBytes: number) => createSkillLibraries(temporaryFolder(), languages, { codeBytes })('ada');
  await open(1024 * 1024).save(draft);
  const small = open(1_024);
  expect((await failureOf(small.save(draft))).message).toContain('is 1024 (limits.sourceBytes)');
  const skills = openGuestSkills(small, temporaryFolder());
  const text = `---\nname: large\ndescription: Has much data.\n---\n`;
  await skills.files.makeFolder('/skills/large', true);
  await skills.files.write('/skills/large/SKILL.md', Buffer.from(text), 'replace');
  await skills.files.write('/skills/large/index.ts', Buffer.from(draft.code), 'replace');
  expect(await skills.end()).toEqual([expect.stringContaining('is 1024 (limits.sourceBytes)')]);
});

test('a file of a skill that is no code may be longer than code', async () => {
  const { library } = open();
  const files = { 'data.json': `["${'x'.repeat(600 * 1024)}"]` };
  await library.save({ name: 'with-data', description: 'Has data.', code: CODE, files });
  expect((await library.load('with-data')).files.map(({ path }) => path)).toContain('data.json');
});
