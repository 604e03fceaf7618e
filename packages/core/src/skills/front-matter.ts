import { parseDocument, stringify } from 'yaml';
import { messageOf } from '../errors.ts';

/** The parts of a `SKILL.md`: all fields of its front matter, and the Markdown below. */
export interface SkillText {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/;
/** Maximum characters of the front matter: ten times as much as its fields can have. */
const MAX_CHARACTERS = 64 * 1024;
/** With YAML aliases, a small text can become a large value. */
const MAX_ALIASES = 10;

/** Reads a `SKILL.md`. Returns one problem with its fix when the text is not readable. */
export function readSkillText(text: string): SkillText | { readonly problem: string } {
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
  try {
    const document = parseDocument(yaml, { schema: 'core', merge: false, logLevel: 'error' });
    const [error] = [...document.errors, ...document.warnings];
    if (error) return { problem: unreadable(error.message) };
    const fields: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
      return { problem: 'The front matter must be a map of fields: "name: …", "description: …".' };
    }
    return { fields: fields as Record<string, unknown>, body: text.slice(match[0].length) };
  } catch (error) {
    return { problem: unreadable(messageOf(error)) };
  }
}

/** Writes a `SKILL.md` without the fields that are undefined. */
export function writeSkillText(fields: Readonly<Record<string, unknown>>, body: string): string {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return `---\n${stringify(given, { lineWidth: 0 })}---\n\n${body.trim()}\n`;
}

function unreadable(message: string): string {
  const [first = ''] = message.split('\n');
  return `The front matter is not valid YAML: ${first.replace(/:$/, '')}. Quote values that contain ": " or start with a special character.`;
}
