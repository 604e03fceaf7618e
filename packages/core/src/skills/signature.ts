import type { Language, LanguageName } from '@toolwright/sandbox';
import type { ModuleFunction } from '@toolwright/sandbox/internal';
import type { SkillFile, SkillSignature } from './skill.ts';

/** A skill's code in one language. */
export interface SkillCode {
  readonly file: SkillFile;
  readonly functions: readonly ModuleFunction[];
  /** The function that `run_skill` runs. */
  readonly main?: ModuleFunction;
  /** The line that runs the main function, or imports the functions when there is none. */
  readonly call: string;
}

/** The paths of a skill's code. The first existing file is the one that programs import and run. */
const MODULES: Readonly<Record<LanguageName, readonly string[]>> = {
  typescript: ['index.ts', 'index.js'],
  python: ['__init__.py', 'index.py'],
};
const MAIN_NAMES = ['default', 'main', 'run'];
/** Maximum characters of the arguments and of the result in a line. */
const MAX_ARGUMENTS = 240;
const MAX_RESULT = 120;

/** Returns the path of a new main module in a language. */
export function modulePath(language: LanguageName): string {
  return MODULES[language][0] ?? '';
}

/** Returns a skill's main module in a language; undefined when it has none. */
export function moduleOf(files: readonly SkillFile[], language: LanguageName): SkillFile | undefined {
  const paths = MODULES[language];
  return paths.map((path) => files.find((file) => file.path === path)).find((file) => file?.text !== undefined);
}

/**
 * Returns a skill's code in a language. Its main function is the first of: the default export, `main`, `run`, the function
 * with the skill's name, the only function.
 */
export async function findMain(
  skill: string,
  files: readonly SkillFile[],
  language: Language,
): Promise<SkillCode | undefined> {
  const file = moduleOf(files, language.name);
  if (file?.text === undefined) return undefined;
  const functions = await language.functions(file.text);
  const wanted = [...MAIN_NAMES, camelCase(skill), skill.replaceAll('-', '_')];
  const named = wanted.map((name) => functions.find((candidate) => candidate.name === name)).find((found) => found);
  const main = named ?? (functions.length === 1 ? functions[0] : undefined);
  if (main) return { file, functions, main, call: callText(skill, main, language.name) };
  const names = functions.map(({ name }) => name);
  return { file, functions, call: importText(skill, file.path, names, language.name) };
}

/** Returns the signatures of a skill's code, one per language. */
export async function signaturesOf(
  skill: string,
  files: readonly SkillFile[],
  languages: readonly Language[],
): Promise<SkillSignature[]> {
  const signatures: SkillSignature[] = [];
  for (const language of languages) {
    const found = await findMain(skill, files, language);
    if (!found) continue;
    const { file, functions, call } = found;
    const exports = functions.map(({ name }) => name);
    signatures.push({ language: language.name, path: file.path, call, exports });
  }
  return signatures;
}

function callText(skill: string, { parameters, takesObject, result }: ModuleFunction, language: LanguageName): string {
  const isPython = language === 'python';
  const members = parameters.map(({ name, type, isOptional }) =>
    isPython
      ? `"${name}": ${type ?? 'Any'}${isOptional ? ' = ...' : ''}`
      : `${name}${isOptional ? '?' : ''}: ${type ?? 'unknown'}`,
  );
  const shown = members.filter((_, index) => members.slice(0, index + 1).join(', ').length <= MAX_ARGUMENTS);
  if (shown.length < members.length) shown.push(`/* +${members.length - shown.length} */`);
  const args = shown.length > 0 ? `, {${shown.join(', ')}}` : takesObject ? ', {…}' : '';
  const given = result !== undefined && result.length <= MAX_RESULT ? result : undefined;
  const resultText = given === undefined ? '' : isPython ? ` -> ${given}` : `: ${given}`;
  return `${isPython ? 'await ' : ''}run_skill("${skill}"${args})${resultText}`;
}

/** Returns the line that imports the functions of a skill without a main function. */
function importText(skill: string, path: string, exports: readonly string[], language: LanguageName): string {
  const names = exports.slice(0, 10).join(', ');
  if (language === 'python') return `from skills.${skill.replaceAll('-', '_')} import ${names || '*'}`;
  const module = `/skills/${skill}/${path.replace(/\.ts$/, '.js')}`;
  return names === '' ? `import '${module}'` : `import { ${names} } from '${module}'`;
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z\d])/g, (_all, first: string) => first.toUpperCase());
}
