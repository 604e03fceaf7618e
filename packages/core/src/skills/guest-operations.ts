import type { Language, LanguageName } from '@toolwright/sandbox';
import type { SearchableSkill } from '../catalog/search/answer/hit.ts';
import { ToolwrightError } from '../errors.ts';
import type { GuestSkills } from './guest-skills.ts';
import { findMain, moduleOf } from './signature.ts';
import { SKILL_FILE, type SkillFile, type SkillSummary } from './skill.ts';

/** The requests of a guest about its user's skills, except those about files. */
export interface SkillOperations {
  /** Returns how a program runs a skill. Raises `UNKNOWN_SKILL`, `SKILL_INVALID`, and `INVALID_ARGUMENTS` without a main function. */
  entry(name: string): Promise<SkillEntry>;
  /** Returns a skill as a model reads it. Raises `UNKNOWN_SKILL`, `SKILL_INVALID`. */
  text(name: string): Promise<string>;
  /** Returns a skill with its description. Raises like {@link text}. */
  details(name: string): Promise<SkillDetails>;
  /** Returns the skills in the form that a search of tools needs. */
  searchableSkills(): Promise<SearchableSkill[]>;
}

/** A skill as a program reads it. */
export interface SkillDetails {
  readonly text: string;
  readonly name: string;
  readonly server: 'skills';
  readonly description: string;
}

/** The data with which a guest runs a skill's main function. */
export interface SkillEntry {
  /** The module to import: `/skills/<name>/index.ts`, or `skills.<name>` in Python. */
  readonly module: string;
  /** Name of the function there. */
  readonly name: string;
  /** The names of its parameters, in order; null for a function that accepts one object. */
  readonly parameters: readonly string[] | null;
  readonly call: string;
}

/** Creates the skill operations of a guest program in one language. */
export function skillOperations(skills: GuestSkills, language: Language): SkillOperations {
  const details = async (wanted: string): Promise<SkillDetails> => {
    const { name, description, files } = await skills.open(wanted);
    const code = language.name === 'python' ? moduleOf(files, 'python') : undefined;
    const text = code ? pythonSkillText(name, files, code) : skillText(name, files);
    return { text, name, server: 'skills', description };
  };
  return {
    entry: (name) => skillEntry(skills, name, language),
    details,
    text: async (name) => (await details(name)).text,
    searchableSkills: async () => searchableSkillsOf(await skills.list(), language.name),
  };
}

async function skillEntry(skills: GuestSkills, wanted: string, language: Language): Promise<SkillEntry> {
  const { name, files } = await skills.open(wanted);
  const found = await findMain(name, files, language);
  if (!found) {
    const other = language.name === 'python' ? 'typescript' : 'python';
    const message = moduleOf(files, other)
      ? `The skill "${name}" is written in ${LANGUAGE_TITLES[other]}. Run it from a ${LANGUAGE_TITLES[other]} program.`
      : `The skill "${name}" has no code to run. Read it with load_skill("${name}").`;
    throw new ToolwrightError('INVALID_ARGUMENTS', message);
  }
  const { main, file, functions } = found;
  if (!main) {
    const names = functions.map((candidate) => candidate.name).join(', ') || 'none';
    const message = `The skill "${name}" has no main function (export default, main or run). Import its exports from /skills/${name}/${file.path}: ${names}.`;
    throw new ToolwrightError('INVALID_ARGUMENTS', message);
  }
  const module =
    language.name === 'python'
      ? ['skills', name.replaceAll('-', '_'), ...(file.path === 'index.py' ? ['index'] : [])].join('.')
      : `/skills/${name}/${file.path}`;
  const parameters = main.takesObject ? null : main.parameters.map((parameter) => parameter.name);
  return { module, name: main.name, parameters, call: found.call };
}

/** Returns a skill as a model reads it: its `SKILL.md`, the code of its main modules, and the paths of its other files. */
export function skillText(name: string, files: readonly SkillFile[]): string {
  const parts = [textOf(files.find(({ path }) => path === SKILL_FILE))];
  const modules = (['typescript', 'python'] as const).map((language) => moduleOf(files, language));
  for (const file of modules) {
    if (!file) continue;
    const fence = '`'.repeat(Math.max(3, longestFence(textOf(file)) + 1));
    parts.push(`## /skills/${name}/${file.path}\n\n${fence}${file.path.split('.').at(-1)}\n${textOf(file)}\n${fence}`);
  }
  const others = files.filter((file) => file.path !== SKILL_FILE && !modules.includes(file));
  if (others.length > 0) parts.push(`Other files: ${others.map(({ path }) => `/skills/${name}/${path}`).join(', ')}`);
  return `${parts.join('\n\n')}\n`;
}

/** Returns a skill for a Python program, which may `exec` it: its Python code, and the rest as comments. */
function pythonSkillText(name: string, files: readonly SkillFile[], code: SkillFile): string {
  const manifest = textOf(files.find(({ path }) => path === SKILL_FILE));
  const others = files.filter((file) => file.path !== SKILL_FILE && file !== code);
  const paths = others.map(({ path }) => `/skills/${name}/${path}`).join(', ');
  const comments = [
    manifest,
    '',
    ...(paths === '' ? [] : [`Other files: ${paths}`, '']),
    `/skills/${name}/${code.path}`,
  ];
  const lines = comments.join('\n').split('\n');
  return `${lines.map((line) => `# ${line}`.trimEnd()).join('\n')}\n${textOf(code)}\n`;
}

/** Converts skills to the form that a search of tools needs, for programs in one language. */
export function searchableSkillsOf(skills: readonly SkillSummary[], language: LanguageName): SearchableSkill[] {
  const usable = skills.filter(({ problem }) => problem === undefined);
  return usable.map(({ name, description, signatures }) => {
    const own = signatures.find((signature) => signature.language === language);
    const [other] = signatures;
    const comment = language === 'python' ? '#' : '//';
    const hint = own || !other ? '' : `  ${comment} its code is ${LANGUAGE_TITLES[other.language]}`;
    const load = `load_skill("${name}")${hint}`;
    const tool = { id: name, server: 'skills', definition: { name, description, inputSchema: { type: 'object' } } };
    return { tool, signature: own?.call ?? (language === 'python' ? load : `await ${load}`) };
  });
}

const LANGUAGE_TITLES: Readonly<Record<LanguageName, string>> = { typescript: 'TypeScript', python: 'Python' };

function textOf(file: SkillFile | undefined): string {
  return (file?.text ?? '').trim();
}

function longestFence(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
}
