import type { ExecuteOptions, Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { SKILL_FILE } from '@toolwright/core/internal';
import { redactedFor } from '../redacted.ts';
import { run } from '../run/run.ts';
import { addSkills } from './skill-folders.ts';

export interface SkillsArguments {
  /** `list [QUERY...]`, `show NAME [VERSION]`, `add [DIR]`, `run NAME`. */
  readonly words: readonly string[];
  /** JSON text of the skill's arguments. */
  readonly args?: string;
  readonly json: boolean;
  readonly execution: ExecuteOptions;
}

/** Lists, shows, adds or runs the user's skills. Returns the exit code. */
export async function skills(toolwright: Toolwright, given: SkillsArguments, output: Output): Promise<number> {
  const [action = 'list', ...words] = given.words;
  const library = toolwright.skills();
  if (action === 'list') {
    const listed = await library.list(words.length > 0 ? words.join(' ') : undefined);
    const found = await redactedFor(listed, toolwright, output, given.json);
    if (given.json) output.out(JSON.stringify({ skills: found }));
    for (const { name, description, problem } of given.json ? [] : found)
      output.out(`${name}  ${problem === undefined ? description.split('\n')[0] : `broken: ${problem}`}`);
    if (found.length === 0) output.err(words.length > 0 ? 'No skill matches the query.' : 'There are no skills.');
    return EXIT.completed;
  }
  if (action === 'add') {
    const [folder, more] = words;
    if (more !== undefined) throw new UsageError('"skills add" accepts one folder: toolwright skills add ./skills');
    return addSkills(library, folder, given.json, output);
  }
  if (action !== 'show' && action !== 'run') {
    throw new UsageError(`There is no command "skills ${action}". Use one of: list, show, add, check, run.`);
  }
  const [name, version, more] = words;
  if (name === undefined || more !== undefined || (action === 'run' && version !== undefined)) {
    throw new UsageError(`"skills ${action}" requires one name: toolwright skills ${action} NAME`);
  }
  if (action === 'show') {
    const loaded = await library.load(name, versionOf(version));
    const shown = loaded.files.map(({ path, bytes, text }) => ({
      path,
      size: bytes.length,
      text: text || undefined,
    }));
    const skill = await redactedFor({ ...loaded, files: shown }, toolwright, output, given.json);
    const { files } = skill;
    if (given.json) output.out(JSON.stringify(skill));
    for (const { path, size, text = `(${size} bytes)` } of given.json ? [] : files) {
      output.out(path === SKILL_FILE ? text : `--- ${path}\n${text}`);
    }
    return EXIT.completed;
  }
  const { signatures } = await library.load(name);
  const language = signatures[0]?.language ?? 'typescript';
  const call = `run_skill(${JSON.stringify(name)}, ${language === 'python' ? `json.loads(${JSON.stringify(argumentsOf(given.args))})` : argumentsOf(given.args)})`;
  const source = language === 'python' ? `import json\nawait ${call}` : `return ${call}`;
  return run(toolwright, source, { json: given.json, execution: { ...given.execution, language } }, output);
}

function argumentsOf(text = '{}'): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return JSON.stringify(value);
  } catch {
    // Text that is not JSON gets the same error as JSON that is not an object, below.
  }
  throw new UsageError(`--args requires a JSON object such as '{"city":"Bonn"}', not ${text.slice(0, 80)}.`);
}

function versionOf(text: string | undefined): { version?: number } {
  if (text === undefined) return {};
  if (/^[1-9]\d*$/.test(text)) return { version: Number(text) };
  throw new UsageError(`"${text}" is not a version. Use a number such as 2.`);
}
