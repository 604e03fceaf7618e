import { fileURLToPath } from 'node:url';
import { readRegularText } from '@toolwright/connectors/read-file';
import { type SkillSummary, type Toolwright, ToolwrightError } from '@toolwright/core';
import type { LanguageName } from '@toolwright/sandbox';
import { messageOf } from '@toolwright/sandbox/internal';
import { instructionsFor } from './instructions.ts';

/** Creates the system prompt of one task. */
export type SystemPrompt = (
  toolwright: Toolwright,
  task: { readonly user: string; readonly language: LanguageName },
) => Promise<string>;

const SHIPPED = fileURLToPath(new URL('system-prompt.md', import.meta.url));
/** Maximum bytes of a template. */
const MAX_TEMPLATE_BYTES = 1024 * 1024;
const PLACEHOLDER = /\{\{\s*([^{}\s]*)\s*\}\}/g;
const NAMES = ['tools', 'skills', 'language', 'date'] as const;
const LANGUAGES: Readonly<Record<LanguageName, string>> = { typescript: 'TypeScript', python: 'Python' };
/** Maximum number of named skills. The search finds the others. */
const MAX_SKILLS = 50;
/** Maximum wait for servers to list their tools, and then their resources, in milliseconds. */
const LIST_WAIT_MS = 5_000;

/**
 * Reads the template of the system prompt, by default the shipped one. Fills in `{{tools}}`, `{{skills}}`, `{{language}}`
 * and `{{date}}`. Raises `CONFIG_INVALID` for an unreadable file or an unknown variable.
 */
export async function systemPrompt(path: string = SHIPPED): Promise<SystemPrompt> {
  const template = await readRegularText(path, MAX_TEMPLATE_BYTES).catch((cause: unknown) => {
    const message = `The system prompt ${path} cannot be read (${messageOf(cause)}). Set another path, or remove the setting to use the default prompt.`;
    throw new ToolwrightError('CONFIG_INVALID', message, { cause });
  });
  const unknown = [...template.matchAll(PLACEHOLDER)].find(([, name]) => !NAMES.some((known) => known === name));
  if (unknown) {
    const message = `The system prompt ${path} has the unknown variable ${unknown[0]}. Use only ${NAMES.map((name) => `{{${name}}}`).join(', ')}.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  return async (toolwright, { user, language }) => {
    const values: Readonly<Record<string, string>> = {
      tools: await instructionsFor(toolwright, { userId: user, waitMs: LIST_WAIT_MS }),
      skills: skillsText(await toolwright.skills(user).list()),
      language: LANGUAGES[language],
      date: new Date().toISOString().slice(0, 10),
    };
    return template.replaceAll(PLACEHOLDER, (_whole, name: string) => values[name] ?? '').trim();
  };
}

function skillsText(skills: readonly SkillSummary[]): string {
  if (skills.length === 0) return '';
  const lines = skills
    .slice(0, MAX_SKILLS)
    .map(({ name, description, signatures: [first] }) => `- ${name}: ${description}${first ? `  ${first.call}` : ''}`);
  const more = skills.length > MAX_SKILLS ? [`- and ${skills.length - MAX_SKILLS} more, found by search_tools`] : [];
  const head = 'Skills, saved code and instructions (read /skills/<name>/SKILL.md in a program before you use one):';
  return [head, ...lines, ...more].join('\n');
}
