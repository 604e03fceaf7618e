import { parseDocument, stringify } from 'yaml';
import { messageOf } from '../errors.ts';

/** A `SKILL.md` taken apart: its fields, whatever they are, and the Markdown below. */
export interface SkillText {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/;
/** Characters of the front matter; ten times what its fields may hold. */
const MAX_CHARACTERS = 64 * 1024;
/** Aliases can make a small text a large value. */
const MAX_ALIASES = 10;

/** Reads a `SKILL.md`. Gives the one problem that makes it unreadable, with its fix, where there is one. */
export function readSkillText(text: string): SkillText | { readonly problem: string } {
  const match = FRONT_MATTER.exec(text);
  if (!match) {
    return {
      problem:
        'SKILL.md must begin with front matter: a line "---", then "name: …" and "description: …", then a line "---".',
    };
  }
  const yaml = match[1] ?? '';
  if (yaml.length > MAX_CHARACTERS) {
    return {
      problem: `The front matter has ${yaml.length} characters and may have ${MAX_CHARACTERS}. Move text below it.`,
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

/** Writes a `SKILL.md`; fields that are undefined are left out. */
export function writeSkillText(fields: Readonly<Record<string, unknown>>, body: string): string {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return `---\n${stringify(given, { lineWidth: 0 })}---\n\n${body.trim()}\n`;
}

function unreadable(message: string): string {
  const [first = ''] = message.split('\n');
  return `The front matter is no YAML: ${first.replace(/:$/, '')}. Quote values that hold ": " or begin with a special character.`;
}
