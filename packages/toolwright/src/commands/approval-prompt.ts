import { createInterface } from 'node:readline/promises';
import type { ApprovalAnswer, ApprovalRequest } from '@toolwright/core';
import { questionText } from './print-result.ts';
import { forTerminal } from './terminal.ts';

/** Asks the person at the terminal about calls that a policy asks about. */
export interface ApprovalPrompt {
  onApproval(question: ApprovalRequest): Promise<ApprovalAnswer | undefined>;
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
  const ask = async (question: ApprovalRequest): Promise<ApprovalAnswer | undefined> => {
    // Only the person at the terminal sees this text, and it is their own data.
    const text = questionText({ ...question, arguments: question.realArguments });
    output.write(`${forTerminal(text)}\n`);
    for (;;) {
      const choice = await readLine({ input, output, signal });
      const answer = choice === undefined ? 'later' : ANSWERS[choice.trim().toLowerCase().slice(0, 1)];
      if (answer === 'later') areDecided = false;
      if (answer !== undefined) return answer === 'later' ? undefined : answer;
    }
  };
  return {
    onApproval(question) {
      if (question.kind !== 'approval') return Promise.resolve(undefined);
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

const ANSWERS: Readonly<Record<string, ApprovalAnswer | 'later'>> = {
  y: { action: 'approve' },
  n: { action: 'deny' },
  a: { action: 'approve', covers: { next: ALL_CALLS } },
  l: 'later',
};

/** Returns the line that a person types; undefined at the end of the input or when the signal aborts. */
async function readLine({ input, output, signal }: Terminal): Promise<string | undefined> {
  const lines = createInterface({ input, output });
  try {
    const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
    const line = lines.question(`${CHOICES}: `, signal ? { signal } : {}).catch(() => undefined);
    return await Promise.race([line, closed]);
  } finally {
    lines.close();
  }
}
