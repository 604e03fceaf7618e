import { isObject } from '@toolwright/connectors/internal';
import { readYaml } from '@toolwright/sandbox/internal';
import { isComplexityError } from '../../errors.ts';

/** The parts of a `SKILL.md`: all fields of its front matter, and the Markdown below. */
export interface SkillText {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** Set when the front matter was read with quotes that it does not have. */
  readonly warning?: string;
}

export interface ReadOptions {
  /** Whether the text must be valid YAML as it is. Default: false. */
  readonly isStrict?: boolean;
}

/** A text that is not a `SKILL.md`. */
export interface UnreadableText {
  readonly problem: string;
  /** Set if no language worker can read it. */
  readonly isRefused?: true;
}

const QUOTED =
  'The front matter is not valid as it is, and was read with quotes. Quote values that contain ": ", start with a special character or are numbers.';
const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/;
/** Maximum characters of the front matter: ten times as much as its fields can have. */
const MAX_CHARACTERS = 64 * 1024;

/**
 * Reads a `SKILL.md` of a user. Returns one problem with its fix when the text is not readable. A language worker reads the
 * front matter, and a second time with quotes if YAML refuses it as it is. Raises `LANGUAGE_SERVICE_BUSY`.
 */
export async function readSkillText(
  text: string,
  userId: string,
  { isStrict = false }: ReadOptions = {},
): Promise<SkillText | UnreadableText> {
  const match = FRONT_MATTER.exec(text);
  if (!match) {
    return {
      problem:
        'SKILL.md must start with front matter: a line "---", then "name: …" and "description: …", then a line "---".',
    };
  }
  const yaml = match[1] ?? '';
  if (yaml.length > MAX_CHARACTERS) {
    return {
      problem: `The front matter has ${yaml.length} characters; the limit is ${MAX_CHARACTERS}. Move text below it.`,
    };
  }
  const first = await reading(yaml, userId);
  if ('isRefused' in first) return { problem: unreadable(first.problem), isRefused: true };
  const quoted = isStrict || isUsual(first) ? yaml : quotedFrontMatter(yaml);
  const second = quoted === yaml ? first : await reading(quoted, userId);
  const isHelped = !('problem' in second);
  const found = isHelped ? second : first;
  if ('problem' in found) return { problem: unreadable(found.problem) };
  const { value: fields } = found;
  if (!isObject(fields)) return { problem: 'The front matter must be a map of fields: "name: …", "description: …".' };
  const body = text.slice(match[0].length);
  return { fields, body, warning: isHelped && quoted !== yaml ? QUOTED : undefined };
}

async function reading(yaml: string, userId: string) {
  return readYaml(yaml, userId).catch((error: unknown) => {
    if (isComplexityError(error)) return { problem: error.message, isRefused: true as const };
    throw error;
  });
}

/** Returns whether a front matter needs no second reading: it is readable, and its metadata are texts. */
function isUsual(read: Awaited<ReturnType<typeof reading>>): boolean {
  if ('problem' in read || !isObject(read.value)) return false;
  const { metadata = {} } = read.value;
  return isObject(metadata) && Object.values(metadata).every((value) => typeof value === 'string');
}

/** Writes a `SKILL.md` without the fields that are undefined. */
export async function writeSkillText(fields: Readonly<Record<string, unknown>>, body: string): Promise<string> {
  const { stringify } = await import('@toolwright/sandbox/yaml');
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return `---\n${stringify(given, { lineWidth: 0 })}---\n\n${body.trim()}\n`;
}

function unreadable(message: string): string {
  const [first = ''] = message.split('\n');
  return `The front matter is not valid YAML: ${first.replace(/:$/, '')}. Quote values that contain ": " or start with a special character.`;
}

/** A line `key: value`, in its parts. */
const FIELD = /^([ \t]*)([\w][\w.-]*):[ \t]+(\S.*?)[ \t]*$/;
const BLOCK = /^[|>][+-]?\d?(?:\s+#.*)?$/;
const NUMBER = /^[-+]?(?:\d[\d_]*)?\.?\d+(?:e[-+]?\d+)?$/i;
/** Most characters of a line that is quoted: longer ones are no descriptions. */
const MAX_LINE = 4_096;
/** Words that YAML 1.2 reads as another type than text. */
const WORD = /^(?:true|false|null|~)$/i;

/**
 * Quotes the values in front matter that its author has not quoted: texts with a colon or a special first character. Inside
 * `metadata`, it quotes numbers and truth values too. Values in blocks, lists and maps of braces stay as they are.
 */
export function quotedFrontMatter(yaml: string): string {
  const lines = yaml.split(/\r?\n/).map((line) => line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', '  ')));
  const written: string[] = [];
  let isInMetadata = false;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [, indent = '', key = '', value = ''] = fieldOf(line) ?? [];
    if (/^\S/.test(line)) isInMetadata = /^metadata:\s*$/.test(line);
    const end = lastLineOf(lines, index, indent.length);
    const isPlain = key !== '' && !BLOCK.test(value) && !isQuoted(value) && !isCollection(value);
    const rest = lines.slice(index + 1, end + 1).map((each) => each.trim());
    const text = [value, ...rest].join(' ').trim();
    const isTyped = isInMetadata && indent !== '' && (NUMBER.test(value) || WORD.test(value));
    if (isPlain && (needsQuotes(text) || isTyped)) written.push(`${indent}${key}: ${JSON.stringify(text)}`);
    else written.push(...lines.slice(index, end + 1));
    index = end;
  }
  return written.join('\n');
}

function fieldOf(line: string): RegExpExecArray | undefined {
  return line.length > MAX_LINE ? undefined : (FIELD.exec(line) ?? undefined);
}

/** Returns the last line of a value: a text may go on in lines that are further to the right. */
function lastLineOf(lines: readonly string[], start: number, indent: number): number {
  if (!fieldOf(lines[start] ?? '')) return start;
  let end = start;
  while (end + 1 < lines.length && isFurther(lines[end + 1] ?? '', indent)) end++;
  while (end > start && lines[end]?.trim() === '') end--;
  return end;
}

function isFurther(line: string, indent: number): boolean {
  return line.trim() === '' || line.length - line.trimStart().length > indent;
}

function needsQuotes(text: string): boolean {
  return /:(?:\s|$)|^[@`%!&*?|>#,[\]{}"'-]/.test(text);
}

function isQuoted(value: string): boolean {
  return /^"(?:[^"\\]|\\.)*"(?:\s+#.*)?$/.test(value) || /^'(?:[^']|'')*'(?:\s+#.*)?$/.test(value);
}

/** Returns whether a value is a list or a map in brackets, or begins one that ends in a later line. */
function isCollection(value: string): boolean {
  return /^\[.*\]$/.test(value) || /^\{.*\}$/.test(value) || /^[[{]$/.test(value);
}
