import { readYaml } from '@toolwright/sandbox/internal';
import { isComplexityError } from '../errors.ts';

/** The parts of a `SKILL.md`: all fields of its front matter, and the Markdown below. */
export interface SkillText {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A text that is not a `SKILL.md`. */
export interface UnreadableText {
  readonly problem: string;
  /** Set if no language worker can read it. */
  readonly isRefused?: true;
}

const FRONT_MATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/;
/** Maximum characters of the front matter: ten times as much as its fields can have. */
const MAX_CHARACTERS = 64 * 1024;

/**
 * Reads a `SKILL.md` of a user. Returns one problem with its fix when the text is not readable. A language worker reads the
 * front matter. Raises `LANGUAGE_SERVICE_BUSY`.
 */
export async function readSkillText(text: string, userId: string): Promise<SkillText | UnreadableText> {
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
  const reading = await readYaml(yaml, userId).catch((error: unknown) => {
    if (isComplexityError(error)) return { problem: error.message, isRefused: true as const };
    throw error;
  });
  if ('problem' in reading) {
    return { problem: unreadable(reading.problem), ...('isRefused' in reading ? { isRefused: true as const } : {}) };
  }
  const { value: fields } = reading;
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    return { problem: 'The front matter must be a map of fields: "name: …", "description: …".' };
  }
  return { fields: fields as Record<string, unknown>, body: text.slice(match[0].length) };
}

/** Writes a `SKILL.md` without the fields that are undefined. */
export async function writeSkillText(fields: Readonly<Record<string, unknown>>, body: string): Promise<string> {
  const { stringify } = await import('./yaml-library.ts');
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return `---\n${stringify(given, { lineWidth: 0 })}---\n\n${body.trim()}\n`;
}

function unreadable(message: string): string {
  const [first = ''] = message.split('\n');
  return `The front matter is not valid YAML: ${first.replace(/:$/, '')}. Quote values that contain ": " or start with a special character.`;
}
