import { once } from 'node:events';
import { visibleText } from '@toolwright/core/command';

/** Asks a person at the terminal a question for yes or no. Returns undefined where nobody can answer. */
export async function askAtTerminal(question: string): Promise<boolean | undefined> {
  const answer = await askLineAtTerminal(`${question} [y/N] `);
  return answer === undefined ? undefined : /^y(es)?$/i.test(answer);
}

/** Asks a person at the terminal for a line. Returns undefined where nobody can answer, and an empty text for Ctrl+C. */
export async function askLineAtTerminal(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl+C and the end of the input are a no. Some versions of Node reject the question then, others leave it open.
  terminal.once('SIGINT', () => terminal.close());
  const closed = once(terminal, 'close').then(() => '');
  try {
    const answer = await Promise.race([terminal.question(visibleText(question)).catch(() => ''), closed]);
    return answer.trim();
  } finally {
    terminal.close();
  }
}

/** Returns text of others as a part of one line: it cannot start a line that looks like one of Toolwright. */
export function asLine(text: string): string {
  return visibleText(text).replace(/[\t\n\r]/g, (found) => JSON.stringify(found).slice(1, -1));
}

/** Returns a time for a person, such as `40 ms`, `1.3 s` or `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
