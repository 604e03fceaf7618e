import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApprovalAnswer, ApprovalRequest } from '@toolwright/core';
import { visibleText } from '@toolwright/core/command';
import { promptInput } from './input-prompt.ts';
import { nextCommand, questionText } from './print-result.ts';

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
