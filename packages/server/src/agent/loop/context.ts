import { loadTokenizer } from '@toolwright/core/internal';
import { messageOf } from '@toolwright/sandbox/internal';
import type { ModelMessage } from '../../models/model.ts';

export interface ContextOptions {
  /** Maximum size of a conversation in tokens (o200k_base). The instructions and tools are not counted. */
  readonly budgetTokens: number;
  /** The task: it is never shortened. */
  readonly task: string;
  /** Writes a file into `/workspace/outputs` and resolves to its path there. */
  readonly write: (name: string, text: string) => Promise<string>;
}

/** Default budget of a conversation, in tokens. */
export const DEFAULT_CONTEXT_TOKENS = 100_000;
/** Shortening aims at this part of the budget, so that the next steps need no shortening. */
const TARGET = 0.6;
/** Characters at the start of a shortened text that stay in the message. */
const KEPT_CHARACTERS = 400;
/** Shorter texts are not shortened. */
const MIN_CHARACTERS = 1_000;
/** The newest results are shortened last, because the model works with them. */
const RECENT_RESULTS = 2;

/**
 * Shortens a conversation to its budget, in place. Writes the oldest long texts to files. The message keeps the start of
 * its text and the path of the file. The same message has the same file each time.
 */
export async function fitContext(
  messages: ModelMessage[],
  { budgetTokens, task, write }: ContextOptions,
): Promise<void> {
  const count = await loadTokenizer();
  const sizes = messages.map((message) => count(lengthText(message)));
  let total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= budgetTokens) return;
  const { old, recent } = candidates(messages, task);
  for (const at of [...old, ...recent]) {
    if (total <= (recent.includes(at) ? budgetTokens : budgetTokens * TARGET)) return;
    const message = messages[at];
    if (message === undefined) continue;
    const shorter = await shortened(message, (text, kind) => storeText(text, `${at}.${kind}`, write));
    const size = count(lengthText(shorter));
    total += size - (sizes[at] ?? 0);
    messages[at] = shorter;
  }
}

/** Returns indexes in the order of shortening: old results, old programs, earlier user messages, then new results. */
function candidates(
  messages: readonly ModelMessage[],
  task: string,
): { readonly old: number[]; readonly recent: number[] } {
  const of = (role: ModelMessage['role']) => messages.flatMap((message, at) => (message.role === role ? [at] : []));
  const results = of('tool');
  const userMessages = of('user').filter((at) => messages[at]?.text !== task);
  const old = [...results.slice(0, -RECENT_RESULTS), ...of('assistant').slice(0, -1), ...userMessages];
  return { old, recent: results.slice(-RECENT_RESULTS) };
}

type StoreText = (text: string, kind: 'txt' | 'code') => Promise<string>;

async function shortened(message: ModelMessage, store: StoreText): Promise<ModelMessage> {
  if (message.role !== 'assistant') return { ...message, text: await store(message.text, 'txt') };
  const calls = [];
  for (const call of message.calls) {
    const { code, ...rest } = (call.input ?? {}) as { code?: unknown };
    const isLong = typeof code === 'string' && code.length >= MIN_CHARACTERS;
    calls.push(isLong ? { ...call, input: { ...rest, code: await store(code, 'code') } } : call);
  }
  const text = await store(message.text, 'txt');
  // The native content of the provider contains the long texts too, so a shortened message drops it.
  const isSame = text === message.text && calls.every((call, index) => call === message.calls[index]);
  return isSame ? message : { role: 'assistant', text, calls };
}

async function storeText(text: string, name: string, write: ContextOptions['write']): Promise<string> {
  if (text.length < MIN_CHARACTERS) return text;
  const where = await write(name, text).then(
    (path) => `full text in ${path}`,
    (error: unknown) => `the full text could not be written to a file: ${messageOf(error)}`,
  );
  return `${text.slice(0, KEPT_CHARACTERS)}\n… shortened from ${text.length} characters, ${where}`;
}

function lengthText(message: ModelMessage): string {
  if (message.role !== 'assistant') return message.text;
  return `${message.text}${JSON.stringify(message.native?.content ?? message.calls)}`;
}
