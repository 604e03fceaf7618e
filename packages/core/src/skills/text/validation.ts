import { isObject } from '@toolwright/connectors/internal';
import { DEFAULT_LIMITS } from '../../config/sections/limits.ts';
import { SKILL_FILE, SKILL_LIMITS, type SkillFile, type SkillFrontMatter } from '../skill.ts';
import { readSkillText } from './front-matter.ts';

/** The result of checking a folder against the rules of Agent Skills. */
export interface SkillValidation {
  /** The broken rules, each with its fix; empty for a valid skill. */
  readonly problems: readonly string[];
  /** Broken recommendations. */
  readonly warnings: readonly string[];
  /** Set for a valid skill. */
  readonly frontMatter?: SkillFrontMatter;
  readonly body?: string;
  /** Set if no language worker can read the front matter. */
  readonly isRefused?: true;
}

const NAME = /^[a-z\d]+(?:-[a-z\d]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
/** The recommended maximum of lines in `SKILL.md`. */
const ADVISED_LINES = 500;
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
]);
const CODE = /\.(?:[cm]?[jt]s|py)$/;
const MAX_PATH_BYTES = 512;
const MAX_PATH_PARTS = 16;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a path must not contain these
const FORBIDDEN_CHARACTERS = /[\u0000-\u001f\u007f\\]/;

/** The owner of a skill, and the limit of its code. */
export interface ValidationOptions {
  readonly userId?: string;
  /** Bytes of one file of code: no program could import a longer one. Default: that of `limits.sourceBytes`. */
  readonly codeBytes?: number;
  /**
   * Whether deviations that other clients of Agent Skills accept are problems. A model can correct its text, and a user cannot correct
   * the skills of others. Default: false, they are warnings.
   */
  readonly isStrict?: boolean;
}

/** Checks a skill's folder against the public rules. `folder` is its name. Raises `LANGUAGE_SERVICE_BUSY`. */
export async function validateSkill(
  folder: string,
  files: readonly SkillFile[],
  { userId = '', codeBytes = DEFAULT_LIMITS.sourceBytes, isStrict = false }: ValidationOptions = {},
): Promise<SkillValidation> {
  const paths = files.flatMap(({ path }) => pathProblem(path) ?? []);
  const manifest = files.find(({ path }) => path === SKILL_FILE);
  const problems = [...nameProblems(folder, 'The folder'), ...paths, ...sizeProblems(files, codeBytes)];
  if (!manifest) {
    const other = files.find(({ path }) => path.toLowerCase() === SKILL_FILE.toLowerCase())?.path;
    const fix = other
      ? `Rename ${other} to ${SKILL_FILE}.`
      : `Add it: "---", "name: ${folder}", "description: what it does and when to use it", "---", then how to use it.`;
    return { problems: [...problems, `There is no ${SKILL_FILE}. ${fix}`], warnings: [] };
  }
  if (manifest.text === undefined) {
    return { problems: [...problems, `${SKILL_FILE} is not UTF-8 text. Save it as UTF-8.`], warnings: [] };
  }
  const read = await readSkillText(manifest.text, userId, { isStrict });
  if ('problem' in read) {
    const isRefused = read.isRefused ? { isRefused: true as const } : {};
    return { problems: [...problems, read.problem], warnings: [], ...isRefused };
  }
  const deviations = fieldDeviations(read.fields, folder);
  problems.push(...descriptionProblems(read.fields), ...(isStrict ? deviations : []));
  const warnings = [
    ...(read.warning === undefined ? [] : [read.warning]),
    ...(isStrict ? [] : deviations),
    ...warningsOf(read.fields, manifest.text),
  ];
  if (problems.length > 0) return { problems, warnings };
  return { problems, warnings, frontMatter: usableFields(read.fields, folder), body: read.body };
}

/** Checks the text of a `SKILL.md` only. */
export function validateSkillText(
  folder: string,
  text: string,
  options: ValidationOptions = {},
): Promise<SkillValidation> {
  return validateSkill(folder, [{ path: SKILL_FILE, bytes: Buffer.from(text), text }], options);
}

/** Returns the problems of a skill's name, each with its fix; empty for a valid name. */
export function skillNameProblems(name: string): string[] {
  return nameProblems(name, 'The folder');
}

/** Returns whether a value is a valid name of a skill. */
export function isSkillName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= MAX_NAME && NAME.test(name);
}

function descriptionProblems({ description }: Readonly<Record<string, unknown>>): string[] {
  if (description !== undefined && description !== null && String(description).trim() !== '') return [];
  return ['"description" is missing. Say what the skill does and when to use it.'];
}

/** Returns deviations from the rules that other clients accept, each with its fix. */
function fieldDeviations(fields: Readonly<Record<string, unknown>>, folder: string): string[] {
  const { name, description, license, compatibility, metadata, 'allowed-tools': allowedTools } = fields;
  const problems: string[] = [];
  if (typeof name !== 'string' || name === '') problems.push(`"name" is missing. Write "name: ${folder}".`);
  else if (name !== folder) {
    problems.push(`"name" is "${name}" and the folder is "${folder}". They must be the same.`);
    problems.push(...nameProblems(name, '"name"'));
  }
  if (typeof description !== 'string') {
    // A missing one is a problem of its own.
    if (description !== undefined) problems.push('"description" must be text. Write it in quotes.');
  } else if ([...description].length > MAX_DESCRIPTION) {
    problems.push(
      `"description" has ${[...description].length} characters; the limit is ${MAX_DESCRIPTION}. Shorten it, and move details below the front matter.`,
    );
  }
  if (license !== undefined && typeof license !== 'string') problems.push('"license" must be text.');
  if (
    compatibility !== undefined &&
    (typeof compatibility !== 'string' || compatibility === '' || [...compatibility].length > MAX_COMPATIBILITY)
  ) {
    problems.push(`"compatibility" must be text of 1 to ${MAX_COMPATIBILITY} characters. Shorten it, or leave it out.`);
  }
  if (metadata !== undefined && !isTextMap(metadata)) {
    problems.push('"metadata" must map text to text. Quote values that YAML reads as numbers: version: "1.0".');
  }
  const isList = Array.isArray(allowedTools) && allowedTools.every((tool) => typeof tool === 'string');
  if (allowedTools !== undefined && typeof allowedTools !== 'string' && !isList) {
    problems.push('"allowed-tools" must be a text with spaces between tools, or a list of texts.');
  }
  return problems;
}

/** Returns the fields of a front matter in their usual types: the folder is the name, and metadata are texts. */
function usableFields(fields: Readonly<Record<string, unknown>>, folder: string): SkillFrontMatter {
  const { description, license, compatibility, metadata, 'allowed-tools': allowedTools, ...others } = fields;
  const tools = Array.isArray(allowedTools) ? allowedTools.map(textOf) : allowedTools;
  const known = {
    license: license === undefined || license === null ? undefined : textOf(license),
    compatibility: compatibility === undefined || compatibility === null ? undefined : textOf(compatibility),
    metadata: isObject(metadata)
      ? Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, textOf(value)]))
      : undefined,
    'allowed-tools': tools === undefined || tools === null ? undefined : Array.isArray(tools) ? tools : textOf(tools),
  };
  const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  return { ...others, name: folder, description: textOf(description), ...given };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function nameProblems(name: string, what: string): string[] {
  const problems: string[] = [];
  if (name.length > MAX_NAME) {
    problems.push(`${what} has a name of ${name.length} characters; the limit is ${MAX_NAME}. Shorten it.`);
  }
  if (!NAME.test(name)) {
    const fixed = name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, '-')
      .replaceAll(/^-+|-+$/g, '');
    const fix = fixed === '' ? 'Use for example "my-skill".' : `Use "${fixed.slice(0, MAX_NAME)}".`;
    problems.push(
      `${what} "${name.slice(0, MAX_NAME)}" must consist of lower-case letters a-z, digits and single hyphens between them. ${fix}`,
    );
  }
  return problems;
}

function pathProblem(path: string): string | undefined {
  const parts = path.split('/');
  const isPlain =
    parts.every((part) => part !== '' && part !== '.' && part !== '..') &&
    parts.length <= MAX_PATH_PARTS &&
    Buffer.byteLength(path) <= MAX_PATH_BYTES &&
    !FORBIDDEN_CHARACTERS.test(path);
  if (isPlain) return undefined;
  return `The path ${JSON.stringify(path.slice(0, 80))} must stay inside the skill's folder: names with "/" between them, such as references/rules.md.`;
}

function sizeProblems(files: readonly SkillFile[], codeBytes: number): string[] {
  const bytes = files.reduce((total, file) => total + file.bytes.length, 0);
  const problems: string[] = [];
  if (files.length > SKILL_LIMITS.files) {
    problems.push(`The skill has ${files.length} files; the limit is ${SKILL_LIMITS.files}. Remove some.`);
  }
  if (bytes > SKILL_LIMITS.bytes) {
    problems.push(
      `The files of the skill have ${bytes} bytes together; the limit is ${SKILL_LIMITS.bytes}. Make them smaller.`,
    );
  }
  const code = files.filter(({ path }) => CODE.test(path));
  return [...problems, ...code.flatMap(({ path, bytes }) => codeProblem(path, bytes, codeBytes) ?? [])];
}

/** Returns the problem of code that no program could import, with the fix; undefined for shorter code. */
export function codeProblem(path: string, code: string | Uint8Array, codeBytes: number): string | undefined {
  const bytes = Buffer.byteLength(code);
  if (bytes <= codeBytes) return undefined;
  return `${path} has ${bytes} bytes; the limit of one file of code is ${codeBytes} (limits.sourceBytes). Move its data to another file of the skill, and read that.`;
}

function warningsOf(fields: Readonly<Record<string, unknown>>, text: string): string[] {
  const warnings: string[] = [];
  const unknown = Object.keys(fields).filter((field) => !KNOWN_FIELDS.has(field));
  if (unknown.length > 0) {
    warnings.push(`Unknown field: ${unknown.map((field) => `"${field}"`).join(', ')}. Move it to "metadata".`);
  }
  const lines = text.split('\n').length;
  if (lines > ADVISED_LINES) {
    warnings.push(
      `${SKILL_FILE} has ${lines} lines; the recommended maximum is ${ADVISED_LINES}. Move details to references/.`,
    );
  }
  return warnings;
}

function isTextMap(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((item) => typeof item === 'string');
}
