import { loadTokenizer } from '@toolwright/core/internal';
import { messageOf } from '@toolwright/sandbox/internal';
import type { ModelMessage } from '../models/model.ts';

export interface ContextOptions {
  /** Tokens of a conversation, o200k_base, that a model gets at most; its instructions and tools come on top. */
  readonly budgetTokens: number;
  /** The task: it is never shortened. */
  readonly task: string;
  /** Writes a file into `/workspace/outputs` and resolves to its path there. */
  readonly write: (name: string, text: string) => Promise<string>;
}

/** Tokens for a conversation when nobody says otherwise. */
export const DEFAULT_CONTEXT_TOKENS = 100_000;
/** A conversation over its budget is brought down to this part of it, so that not every step shortens something. */
const TARGET = 0.6;
/** Characters that are left of what is shortened. */
const KEPT_CHARACTERS = 400;
/** What is shorter stays as it is. */
const MIN_CHARACTERS = 1_000;
/** Results at the end that are shortened last: the model works with them. */
const FRESH_RESULTS = 2;

/**
 * Brings a conversation into its budget: what is oldest and long is written whole to a file, and the message names that
 * file and keeps the start. The same message gets the same file each time. The list is changed in place.
 */
export async function fitContext(
  messages: ModelMessage[],
  { budgetTokens, task, write }: ContextOptions,
): Promise<void> {
  const count = await loadTokenizer();
  const sizes = messages.map((message) => count(lengthText(message)));
  let total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= budgetTokens) return;
  const { old, fresh } = candidates(messages, task);
  for (const at of [...old, ...fresh]) {
    if (total <= (fresh.includes(at) ? budgetTokens : budgetTokens * TARGET)) return;
    const message = messages[at];
    if (message === undefined) continue;
    const shorter = await shortened(message, (text, kind) => keep(text, `${at}.${kind}`, write));
    const size = count(lengthText(shorter));
    total += size - (sizes[at] ?? 0);
    messages[at] = shorter;
  }
}

/** Indexes in the order of shortening: old results, old programs, what was said before; what is fresh comes last. */
function candidates(
  messages: readonly ModelMessage[],
  task: string,
): { readonly old: number[]; readonly fresh: number[] } {
  const of = (role: ModelMessage['role']) => messages.flatMap((message, at) => (message.role === role ? [at] : []));
  const results = of('tool');
  const userMessages = of('user').filter((at) => messages[at]?.text !== task);
  const old = [...results.slice(0, -FRESH_RESULTS), ...of('assistant').slice(0, -1), ...userMessages];
  return { old, fresh: results.slice(-FRESH_RESULTS) };
}

type Keep = (text: string, kind: 'txt' | 'code') => Promise<string>;

async function shortened(message: ModelMessage, keepText: Keep): Promise<ModelMessage> {
  if (message.role !== 'assistant') return { ...message, text: await keepText(message.text, 'txt') };
  const calls = [];
  for (const call of message.calls) {
    const { code, ...rest } = (call.input ?? {}) as { code?: unknown };
    const isLong = typeof code === 'string' && code.length >= MIN_CHARACTERS;
    calls.push(isLong ? { ...call, input: { ...rest, code: await keepText(code, 'code') } } : call);
  }
  const text = await keepText(message.text, 'txt');
  // What the provider gave holds the long texts too.
  const isSame = text === message.text && calls.every((call, index) => call === message.calls[index]);
  return isSame ? message : { role: 'assistant', text, calls };
}

async function keep(text: string, name: string, write: ContextOptions['write']): Promise<string> {
  if (text.length < MIN_CHARACTERS) return text;
  const where = await write(name, text).then(
    (path) => `whole in ${path}`,
    (error: unknown) => `the rest could not be kept: ${messageOf(error)}`,
  );
  return `${text.slice(0, KEPT_CHARACTERS)}\n… shortened from ${text.length} characters, ${where}`;
}

function lengthText(message: ModelMessage): string {
  if (message.role !== 'assistant') return message.text;
  return `${message.text}${JSON.stringify(message.native?.content ?? message.calls)}`;
}
