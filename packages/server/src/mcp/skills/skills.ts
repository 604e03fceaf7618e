import { type SkillSummary, ToolwrightError } from '@toolwright/core';
import { cutOutsideValues } from '@toolwright/pii/internal';
import type { LanguageName } from '@toolwright/sandbox';
import type { ToolResponse } from '../../agent/loop/tool-response.ts';
import type { Caller } from '../call.ts';

/** Characters of each file in the text of a skill. Programs can read the full file. */
const MAX_FILE_CHARACTERS = 20_000;

interface Draft {
  readonly name: string;
  readonly description: string;
  /** Default: the last completed program of the user. */
  readonly code?: string;
  readonly language?: LanguageName;
}

/** Saves code, or the program of an execution, as a skill. */
export async function saveSkill(draft: Draft, { toolwright, user, usage }: Caller): Promise<ToolResponse> {
  const { name, description, code } = draft;
  const skills = toolwright.skills(user);
  const execution = await usage.lastCompleted(user);
  if (code === undefined && execution === undefined) {
    throw new ToolwrightError('INVALID_ARGUMENTS', 'No program has completed yet. Run one first, or pass "code".');
  }
  const saved = await (code === undefined && execution !== undefined
    ? skills.saveExecution(execution, { name, description })
    : skills.save(draft));
  const [signature] = saved.signatures.map(({ call }) => call);
  const structured = { name: saved.name, signature };
  return { text: `Saved ${saved.name}${signature === undefined ? '' : `: ${signature}`}`, structured };
}

/** Returns the files of a skill as text. */
export async function loadSkill(
  { name }: { readonly name: string },
  { toolwright, user }: Caller,
): Promise<ToolResponse> {
  const { name: own, files } = await toolwright.skills(user).load(name);
  const parts = files.map(({ path, text, bytes }) =>
    text === undefined ? `${path}: ${bytes.length} bytes` : `${path}:\n${shortened(text, `/skills/${own}/${path}`)}`,
  );
  const skill = parts.join('\n\n');
  return { text: skill, structured: { skill } };
}

/** Lists all skills, or those that match a query. */
export async function listSkills(
  { query }: { readonly query?: string },
  { toolwright, user }: Caller,
): Promise<ToolResponse> {
  const skills = (await toolwright.skills(user).list(query)).map(lineOf);
  return { text: skills.length > 0 ? skills.join('\n') : 'No skills.', structured: { skills } };
}

function lineOf({ name, description, signatures: [first], problem }: SkillSummary): string {
  if (problem !== undefined) return `${name}: broken: ${problem}`;
  return `${name}: ${description}${first === undefined ? '' : `  ${first.call}`}`;
}

function shortened(text: string, path: string): string {
  if (text.length <= MAX_FILE_CHARACTERS) return text.trimEnd();
  return `${text.slice(0, cutOutsideValues(text, MAX_FILE_CHARACTERS))}\n… ${text.length - MAX_FILE_CHARACTERS} characters more in ${path}`;
}
