import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApprovalAnswer, ApprovalRequest } from '@toolwright/core';
import { visibleText } from '@toolwright/core/command';
import { nextCommand, questionText } from './print-result.ts';
import { fieldLine, fieldsOf, type ShownField } from './question-details.ts';

/** Asks the person at the terminal about calls that a policy asks about. */
export interface ApprovalPrompt {
  onApproval(question: ApprovalRequest): Promise<ApprovalAnswer | 'later'>;
  /** Resolves when no question is on the terminal. Returns whether all of them were decided. */
  ended(): Promise<boolean>;
}

interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Aborts an open question: it stays open. */
  readonly signal?: AbortSignal | undefined;
}

/** The most calls that one approval covers. */
const ALL_CALLS = 10_000;
const CHOICES = '[y] approve  [n] deny  [a] approve all further calls of this tool  [l] decide later';

/** Reads a line after this text; undefined at the end of the input. */
type ReadLine = (text: string) => Promise<string | undefined>;

const LATER: unique symbol = Symbol('later');

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...(['y', 'yes', 'true'] as const).map((word) => [word, true] as const),
  ...(['n', 'no', 'false'] as const).map((word) => [word, false] as const),
]);

/** Returns the prompt; undefined unless a person sits at a terminal. */
export function approvalPrompt({ input, output, signal }: Terminal): ApprovalPrompt | undefined {
  if (!input.isTTY || !output.isTTY || process.env.CI) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  let areDecided = true;
  const ask = async (question: ApprovalRequest): Promise<ApprovalAnswer | 'later'> => {
    // Only the person at the terminal sees this text, and it is their own data.
    const text = questionText({ ...question, arguments: question.realArguments, details: question.realDetails });
    output.write(`${visibleText(text)}\n`);
    if (question.kind !== 'approval') {
      await discardTyped(input);
      const given = await promptInput(question, (prompt) => readLine({ input, output, signal }, visibleText(prompt)));
      if (given === undefined) areDecided = false;
      return given ?? 'later';
    }
    for (;;) {
      await discardTyped(input);
      const choice = await readLine({ input, output, signal }, `${CHOICES}: `);
      // A word such as "abort" is no answer: only the exact letter is one.
      const answer = choice === undefined ? 'later' : ANSWERS.get(choice.trim().toLowerCase());
      if (answer === 'later') areDecided = false;
      if (answer !== undefined) return answer;
    }
  };
  return {
    onApproval(question) {
      if (question.kind === 'outcome') return Promise.resolve('later');
      const asked = last.then(() => ask(question));
      last = asked.catch(() => undefined);
      return asked;
    },
    async ended() {
      await last;
      return areDecided;
    },
  };
}

/** Prints each question at once, and leaves it open: nobody can answer here. */
export interface ApprovalAnnouncer extends ApprovalPrompt {
  /** The calls whose questions were printed. */
  readonly announced: ReadonlySet<number>;
}

/** Returns an announcer. `more`: options of the commands that it names. */
export function approvalAnnouncer(print: (line: string) => void, more = ''): ApprovalAnnouncer {
  const announced = new Set<number>();
  return {
    announced,
    async onApproval(question) {
      announced.add(question.call);
      print(questionText(question));
      print(`Decide with: ${nextCommand(question.executionId, [question], more)}`);
      return 'later';
    },
    ended: async () => false,
  };
}

const ANSWERS: ReadonlyMap<string, ApprovalAnswer | 'later'> = new Map<string, ApprovalAnswer | 'later'>([
  ['y', { action: 'approve' }],
  ['n', { action: 'deny' }],
  ['a', { action: 'approve', covers: { next: ALL_CALLS } }],
  ['l', 'later'],
]);
/** Time for the terminal to deliver keys that were pressed before a question, in milliseconds. */
const TYPED_MS = 50;

/** Discards keys that were pressed before a question: they answer nothing. */
async function discardTyped(input: NodeJS.ReadStream): Promise<void> {
  const discard = () => undefined;
  input.on('data', discard);
  await sleep(TYPED_MS);
  input.off('data', discard);
  input.pause();
}

/** Returns the line that a person types; undefined at the end of the input or when the signal aborts. */
async function readLine({ input, output, signal }: Terminal, prompt: string): Promise<string | undefined> {
  const lines = createInterface({ input, output });
  try {
    const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
    const line = lines.question(prompt, { signal }).catch(() => undefined);
    return await Promise.race([line, closed]);
  } finally {
    lines.close();
  }
}

/**
 * Asks the person at the terminal a question of a server: field by field, or whether a page is done. Returns nothing for a person who
 * answers later.
 */
async function promptInput(
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
