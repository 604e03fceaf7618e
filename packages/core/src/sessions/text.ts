import type { SessionEntry } from './log.ts';

/** Characters of all entries together; the newest entry is always complete. */
const MAX_CHARACTERS = 24_000;
/** Named calls of one execution. */
const MAX_CALLS = 20;

/** Returns the newest executions of a session as Markdown, oldest first, for a reader who continues it. */
export function sessionText(id: string, entries: readonly SessionEntry[]): string {
  const texts: string[] = [];
  let characters = 0;
  for (const entry of entries.toReversed()) {
    const text = entryText(entry);
    characters += text.length;
    if (texts.length > 0 && characters > MAX_CHARACTERS) break;
    texts.unshift(text);
  }
  const left = entries.length - texts.length;
  const note = left > 0 ? ` /session/log.jsonl has the ${left} older ones.` : '';
  const count = entries.length === 0 ? 'Nothing has run yet.' : `The last ${texts.length} executions.${note}`;
  return [`# Session ${id}\n\n${count}\n`, ...texts].join('\n');
}

function entryText({ at, language, code, status, result, error, calls, callCount, files, ms }: SessionEntry): string {
  const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const named = calls
    .slice(0, MAX_CALLS)
    .map(({ tool, ok, ms: took }) => `${tool} (${ok ? '' : 'failed, '}${took} ms)`);
  const more = callCount > named.length ? `, and ${callCount - named.length} more` : '';
  return [
    `## ${at}: ${status} after ${ms} ms\n`,
    `${fence}${language}\n${code.trimEnd()}\n${fence}\n`,
    ...(result === undefined ? [] : [`Result: ${result}\n`]),
    ...(error === undefined ? [] : [`Error ${error.code}: ${error.message}\n`]),
    ...(callCount === 0 ? [] : [`Calls: ${named.join(', ')}${more}\n`]),
    ...(files.length === 0 ? [] : [`Files: ${files.join(', ')}\n`]),
  ].join('\n');
}
