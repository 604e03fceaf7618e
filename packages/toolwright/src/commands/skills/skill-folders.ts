import { lstat, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SkillLibrary } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { messageOf, ToolwrightError } from '@toolwright/core/errors';
import { readFolder, SKILL_FILE, validateSkill } from '@toolwright/core/internal';

/** The starter skills: the folder `skills` of the repository, copied by the build. */
const STARTER = fileURLToPath(new URL('../../skills', import.meta.url));

interface AddedSkill {
  readonly name: string;
  readonly version?: number;
  readonly problems?: readonly string[];
}

/** Checks a folder, or all folders in it with a `SKILL.md`, by the rules of Agent Skills. */
export async function checkSkills(folder: string, json: boolean, output: Output): Promise<number> {
  const reports = await Promise.all((await skillFolders(folder)).map(checkFolder));
  if (json) output.out(JSON.stringify({ skills: reports }));
  for (const { name, problems, warnings } of json ? [] : reports) {
    if (problems.length === 0) output.out(`${name}: valid`);
    for (const problem of problems) output.out(`${name}: ${problem}`);
    for (const warning of warnings) output.err(`${name}: warning: ${warning}`);
  }
  return reports.every(({ problems }) => problems.length === 0) ? EXIT.completed : EXIT.guestFailed;
}

/** Adds a skill folder, or all skill folders in it, to the user's library. Default: the skills of this package. */
export async function addSkills(
  library: SkillLibrary,
  folder: string = STARTER,
  json: boolean,
  output: Output,
): Promise<number> {
  const added: AddedSkill[] = [];
  for (const path of await skillFolders(folder)) {
    const report = await addFolder(library, path);
    added.push(report);
    for (const problem of report.problems ?? []) output.err(`${report.name}: ${problem}`);
    if (!json && report.version !== undefined) output.out(`${report.name}: version ${report.version}`);
  }
  if (json) output.out(JSON.stringify({ skills: added }));
  return added.every(({ problems }) => problems === undefined) ? EXIT.completed : EXIT.guestFailed;
}

async function addFolder(library: SkillLibrary, path: string): Promise<AddedSkill> {
  const name = basename(path);
  try {
    const { files, problems } = await readFolder(path);
    if (problems.length > 0) return { name, problems };
    const { version } = await library.save({
      name,
      files: Object.fromEntries(files.map((file) => [file.path, file.bytes])),
    });
    return { name, version };
  } catch (error) {
    if (!(error instanceof ToolwrightError)) throw error;
    const { problems } = error.details;
    return { name, problems: Array.isArray(problems) ? problems : [error.message] };
  }
}

async function checkFolder(path: string) {
  const name = basename(path);
  try {
    const content = await readFolder(path);
    const { problems, warnings } = await validateSkill(name, content.files);
    return { name, path, problems: [...content.problems, ...problems], warnings };
  } catch (error) {
    return { name, path, problems: [`Cannot read the skill: ${messageOf(error)}`], warnings: [] };
  }
}

async function skillFolders(folder: string): Promise<string[]> {
  const root = resolve(folder);
  const isFolder = await lstat(root).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new UsageError(`The folder ${folder} does not exist. Correct the path.`);
  if (await hasSkill(root)) return [root];
  const found: string[] = [];
  for (const { name } of (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory())) {
    if (await hasSkill(join(root, name))) found.push(join(root, name));
  }
  return found.length > 0 ? found.sort() : [root];
}

/** Returns whether a folder has a skill. A name in another case counts: the check of the skill reports it. */
async function hasSkill(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => name.toLowerCase() === SKILL_FILE.toLowerCase());
}
