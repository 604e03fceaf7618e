import type { ApprovalAnswer, ApprovalRequest } from '@toolwright/core';
import { fieldLine, fieldsOf, type ShownField } from './question-details.ts';

/** Reads a line after this text; undefined at the end of the input. */
export type ReadLine = (text: string) => Promise<string | undefined>;

/**
 * Asks the person at the terminal a question of a server: field by field, or whether a page is done. Returns nothing for a person who
 * answers later.
 */
export async function promptInput(
  { kind, realDetails }: ApprovalRequest,
  readLine: ReadLine,
): Promise<ApprovalAnswer | undefined> {
  const { mode } = Object(realDetails);
  if (mode === 'sampling' || mode === 'roots') return undefined;
  const isPage = kind === 'authorization' || mode === 'url';
  const choices = isPage
    ? '[y] I have done it  [n] decline  [l] decide later: '
    : '[y] answer  [n] decline  [l] decide later: ';
  for (;;) {
    const choice = (await readLine(choices))?.trim().toLowerCase();
    if (choice === undefined || choice === 'l') return undefined;
    if (choice === 'n') return { action: kind === 'authorization' ? 'fail' : 'decline' };
    if (choice === 'y' && isPage) return { action: kind === 'authorization' ? 'authorize' : 'answer' };
    if (choice === 'y') break;
  }
  const value: Record<string, unknown> = {};
  for (const field of fieldsOf(realDetails)) {
    const given = await readField(field, readLine);
    if (given === LATER) return undefined;
    if (given !== undefined) value[field.name] = given;
  }
  return { action: 'answer', value };
}

const LATER: unique symbol = Symbol('later');

/** Reads one field, again after a value of another type. An empty line leaves it out, or takes its default. */
async function readField(shown: ShownField, readLine: ReadLine): Promise<unknown> {
  for (;;) {
    const line = await readLine(`${fieldLine(shown)}\n    > `);
    if (line === undefined) return LATER;
    const text = line.trim();
    if (text === '' && (!shown.isRequired || 'default' in shown.field)) return undefined;
    const value = typedValue(text, shown);
    if (value !== undefined) return value;
  }
}

function typedValue(text: string, { field, choices }: ShownField): unknown {
  if (field.type === 'boolean') return BOOLEANS.get(text.toLowerCase());
  if (field.type === 'number' || field.type === 'integer') {
    const number = Number(text);
    return text === '' || !Number.isFinite(number) ? undefined : number;
  }
  const choice = (word: string) =>
    choices.find(({ value, title }) => String(value) === word || title.toLowerCase() === word.toLowerCase())?.value;
  if (field.type === 'array') {
    const values = text.split(',').map((word) => choice(word.trim()));
    return values.includes(undefined) ? undefined : values;
  }
  if (choices.length > 0) return choice(text);
  return text === '' ? undefined : text;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...(['y', 'yes', 'true'] as const).map((word) => [word, true] as const),
  ...(['n', 'no', 'false'] as const).map((word) => [word, false] as const),
]);
