import { basename } from 'node:path/posix';
import type { FileEntry, Files } from '../workspaces/files.ts';
import { fileEntry, folderEntry, readOnly } from '../workspaces/mounts.ts';
import { fileError, guestPath, parseGuestPath } from '../workspaces/paths.ts';
import type { LoggedCall, SessionEntry } from './log.ts';

/** Characters of all entries together; the newest entry is always complete. */
const MAX_CHARACTERS = 24_000;
/** Named calls of one execution. */
const MAX_CALLS = 20;

/** Every character that some reader shows as the end of a line. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;
/** Characters that control a terminal or the direction of text. */
const CONTROL = /(?!\t)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const PLAIN_NAME = /^[\p{L}\p{N}_@./-]+$/u;

/**
 * Returns `/session` as files that are generated when they are read: `log.md`, the newest executions for a reader, and
 * `log.jsonl`, one {@link SessionEntry} per line.
 */
export function sessionFiles(id: string, readEntries: () => Promise<readonly SessionEntry[]>): Files {
  const contents: Readonly<Record<string, (entries: readonly SessionEntry[]) => string>> = {
    'log.jsonl': (entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    'log.md': (entries) => sessionText(id, entries),
  };
  const generate = async (path: string): Promise<{ data: Buffer; mtimeMs: number }> => {
    const parts = parseGuestPath(path);
    const [, name = ''] = parts;
    if (parts.length === 1) throw fileError('EISDIR', `${guestPath(parts)} is a folder.`);
    const content = parts.length === 2 && Object.hasOwn(contents, name) ? contents[name] : undefined;
    if (!content) throw fileError('ENOENT', `${guestPath(parts)} does not exist. /session has log.md and log.jsonl.`);
    const entries = await readEntries();
    return { data: Buffer.from(content(entries)), mtimeMs: Date.parse(entries.at(-1)?.at ?? '') || 0 };
  };
  const stat = async (path: string): Promise<FileEntry> => {
    if (parseGuestPath(path).length === 1) return folderEntry('session');
    const { data, mtimeMs } = await generate(path);
    return { ...fileEntry(basename(path), data.length), mtimeMs };
  };
  return readOnly(
    {
      async read(path, maxBytes) {
        const { data } = await generate(path);
        if (data.length <= maxBytes) return data;
        throw fileError('EFBIG', `${path} has ${data.length} bytes; the limit is ${maxBytes}.`);
      },
      async list(path) {
        if (parseGuestPath(path).length > 1) {
          await generate(path);
          throw fileError('ENOTDIR', `${path} is not a folder.`);
        }
        return Promise.all(Object.keys(contents).map((name) => stat(`/session/${name}`)));
      },
      stat,
    },
    'Toolwright writes the log of a session.',
  );
}

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

/**
 * Returns one entry. Only lines of Toolwright start in the first column: foreign text of several lines is indented, which makes
 * it a code block in Markdown. So no program, result, error or name can look like an entry.
 */
function entryText({
  at,
  execution,
  language,
  code,
  status,
  result,
  error,
  calls,
  callCount,
  files,
  ms,
}: SessionEntry): string {
  const named = calls.slice(0, MAX_CALLS).map(callText);
  const more = callCount > named.length ? `, and ${callCount - named.length} more` : '';
  return [
    `## ${at}: ${status} after ${ms} ms\n`,
    status === 'interrupted' ? interruptedText(execution) : `Program in ${language}:\n\n${indented(code.trimEnd())}\n`,
    ...(result === undefined ? [] : [labelled('Result', result)]),
    ...(error === undefined ? [] : [labelled(`Error ${nameText(error.code)}`, error.message)]),
    ...(callCount === 0 ? [] : [`Calls: ${named.join(', ')}${more}\n`]),
    ...(files.length === 0 ? [] : [`Files: ${files.map(nameText).join(', ')}\n`]),
  ].join('\n');
}

function interruptedText(execution: string): string {
  return `The process ended before the program, and it was not run again. Its journal is ${nameText(execution)}.\n`;
}

function callText({ tool, ok, isUnknown = false, ms }: LoggedCall): string {
  if (isUnknown) return `${nameText(tool)} (sent, outcome unknown)`;
  return `${nameText(tool)} (${ok ? '' : 'failed, '}${ms} ms)`;
}

function labelled(label: string, text: string): string {
  return LINE_END.test(text) ? `${label}:\n\n${indented(text)}\n` : `${label}: ${visible(text)}\n`;
}

function indented(text: string): string {
  const lines = text.split(LINE_END);
  return lines.map((line) => (line === '' ? '' : `    ${visible(line)}`)).join('\n');
}

/** Returns a name as part of a list: in quotes unless it is plain, so that it cannot look like several. */
function nameText(name: string): string {
  return PLAIN_NAME.test(name) ? name : visible(JSON.stringify(name));
}

function visible(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
