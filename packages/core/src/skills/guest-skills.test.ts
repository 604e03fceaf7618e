import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/fixtures/bridge-host.ts';
import { typescriptLanguage } from '../../../sandbox/src/languages/typescript.ts';
import { openGuestSkills } from './guest-skills.ts';
import { createSkillLibraries } from './library.ts';

test('a program changes at most 50 skills, and can continue to change those', async () => {
  const library = createSkillLibraries(temporaryFolder(), [typescriptLanguage()])('local');
  const { files, end } = openGuestSkills(library, temporaryFolder());
  for (let index = 0; index < 50; index++) await files.makeFolder(`/skills/s${index}`, false);
  const refused = { code: 'WORKSPACE_FULL', message: 'One program can change at most 50 skills.' };
  await expect(files.makeFolder('/skills/more', false)).rejects.toMatchObject(refused);
  await expect(files.rename('/skills/s1', '/skills/more')).rejects.toMatchObject(refused);
  await expect(files.remove('/skills/more', { recursive: true, force: true })).rejects.toMatchObject(refused);
  await expect(files.write('/skills/more/a.txt', Buffer.from('a'), 'replace')).rejects.toMatchObject(refused);
  await files.write('/skills/s49/a.txt', Buffer.from('a'), 'replace');
  expect(await end('the program did not complete')).toHaveLength(1);
});
