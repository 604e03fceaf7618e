import { expect, test } from 'vitest';
import * as z from 'zod';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { warmQuickjs } from '../../../../test/fixtures/warm-sandbox.ts';
import { typescriptLanguage } from '../../../sandbox/src/languages/typescript.ts';
import { createToolwright } from '../toolwright.ts';
import { createSkillLibraries } from './library.ts';
import { readPluginSkills } from './plugin-skills.ts';

const languages = [typescriptLanguage()];
const twice = {
  name: 'twice-it',
  description: 'Doubles a number.',
  code: 'export default ({ n }: { n: number }) => n * 2;',
};
const thrice = 'export default ({ n }: { n: number }) => n * 3;';

async function openLibrary() {
  const skills = await readPluginSkills([{ plugin: 'maths', draft: twice }], languages);
  return createSkillLibraries(temporaryFolder(), languages, { pluginSkills: skills });
}

test('every user has the skills of plugins, without a version', async () => {
  const libraries = await openLibrary();
  for (const user of ['ada', 'eve']) {
    expect(await libraries(user).list()).toMatchObject([{ name: 'twice-it', version: 0 }]);
  }
  expect(await libraries('ada').load('twice-it')).toMatchObject({ description: 'Doubles a number.', versions: [] });
});

test('a saved skill overrides the skill of a plugin until it is removed', async () => {
  const libraries = await openLibrary();
  const library = libraries('ada');
  await library.save({ ...twice, description: 'Triples a number.', code: thrice });
  expect(await library.list()).toMatchObject([{ description: 'Triples a number.', version: 1 }]);
  expect(await libraries('eve').list()).toMatchObject([{ description: 'Doubles a number.' }]);
  await library.remove('twice-it');
  expect(await library.list()).toMatchObject([{ description: 'Doubles a number.' }]);
  await expect(library.remove('twice-it')).rejects.toMatchObject({
    code: 'NOT_ALLOWED',
    message: expect.stringContaining('belongs to a plugin'),
  });
});

test.each([
  [
    [{ plugin: 'maths', draft: { name: 'No Name', code: 'x' } }],
    /^The skill "No Name" of the plugin maths is not valid/,
  ],
  [
    [
      { plugin: 'maths', draft: twice },
      { plugin: 'sums', draft: twice },
    ],
    /of the plugin sums is not valid. Another plugin provides a skill with this name.$/,
  ],
])('an invalid skill of a plugin is an error with its name', async (provided, message) => {
  await expect(readPluginSkills(provided, languages)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(message),
  });
});

test('a program runs the skill of a plugin, and cannot remove it', async () => {
  const plugin = { name: 'maths', key: 'maths', schema: () => z.unknown(), connectors: () => [], skills: [twice] };
  await using toolwright = await createToolwright({
    dataDir: temporaryFolder(),
    sandbox: warmQuickjs(),
    plugins: [plugin],
  });
  expect(await toolwright.execute("return run_skill('twice-it', { n: 4 })")).toMatchObject({ value: 8 });
  expect((await toolwright.search('double a number')).text).toContain('run_skill("twice-it"');
  const removal = await toolwright.execute("await fs.rm('/skills/twice-it', { recursive: true })");
  expect(JSON.stringify(removal.logs)).toContain('belongs to a plugin');
  expect(await toolwright.execute("return run_skill('twice-it', { n: 4 })")).toMatchObject({ value: 8 });
});
