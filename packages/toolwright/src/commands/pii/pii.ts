import { createReadStream } from 'node:fs';
import type { ToolwrightConfig } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import { createDetection, type Span } from '@toolwright/pii';

/** The arguments of `toolwright pii scan`. */
export interface PiiArguments {
  readonly words: readonly string[];
  /** The text. Default: the file in `words`, else standard input. */
  readonly text?: string;
  readonly json: boolean;
  /** Reads one object `{id?, text}` per line and prints one `{id?, spans}` per line. */
  readonly jsonl: boolean;
  /** The custom patterns and the ignored types of the configuration. */
  readonly settings?: ToolwrightConfig['pii'];
}

type Detect = (text: string) => Promise<Span[]>;

/** Number of unmasked characters at each end of a value. Short values are masked completely. */
const SHOWN_CHARS = 2;
const MIN_CHARS_TO_SHOW = 9;
const CHUNK_BYTES = 1_048_576;

/** Finds personal data and secrets, and prints them masked. */
export async function pii(given: PiiArguments, output: Output): Promise<number> {
  const { words, text, json, jsonl, settings = {} } = given;
  const [action, file, ...more] = words;
  if (action !== 'scan')
    throw new UsageError('Use "pii scan [FILE]", "pii forget VALUE --session ID" or "pii rotate".');
  if (more.length > 0 || (file !== undefined && text !== undefined)) {
    throw new UsageError('Give "pii scan" one file, or -e TEXT, or standard input.');
  }
  if (json && jsonl) throw new UsageError('Use --json or --jsonl, not both.');
  const detect = detectorOf(settings);
  if (jsonl) {
    let number = 0;
    for await (const line of linesOf(file, text)) {
      number++;
      if (/\S/.test(line)) output.out(await answer(line, number, detect));
    }
    return EXIT.completed;
  }
  const source = text ?? (await readWhole(file));
  const spans = await detect(source);
  if (json) output.out(JSON.stringify({ spans }));
  else print(source, spans, output);
  return EXIT.completed;
}

/** Creates a detector with the settings of the configuration. */
function detectorOf({ patterns = {}, ignore = [] }: NonNullable<PiiArguments['settings']>): Detect {
  const detection = createDetection({ patterns });
  const ignored = new Set(ignore.map((type) => type.toUpperCase()));
  return async (text) => (await detection.detectText(text)).filter(({ type }) => !ignored.has(type));
}

async function answer(line: string, number: number, detect: Detect): Promise<string> {
  let entry: unknown;
  try {
    // The parser's message quotes the line, which may hold personal data.
    entry = JSON.parse(line.replace(/^\ufeff/, ''));
  } catch {
    throw new UsageError(
      `Line ${number} is not JSON. Write one object {"id": "...", "text": "..."} per line; "id" is optional.`,
    );
  }
  const { id, text } = (entry ?? {}) as { id?: unknown; text?: unknown };
  if (typeof text !== 'string') {
    throw new UsageError(
      `Line ${number} has no text. Write one object {"id": "...", "text": "..."} per line; "id" is optional.`,
    );
  }
  const spans = (await detect(text)).map(({ start, end, type }) => ({ start, end, type }));
  return JSON.stringify(id === undefined ? { spans } : { id, spans });
}

function print(source: string, spans: readonly Span[], output: Output): void {
  let line = 1;
  let lineStart = 0;
  // Searched once per line, so that a long line is not searched again for each finding.
  let lineEnd = source.indexOf('\n');
  for (const { start, end, type, evidence } of spans) {
    while (lineEnd >= 0 && lineEnd < start) {
      line++;
      lineStart = lineEnd + 1;
      lineEnd = source.indexOf('\n', lineStart);
    }
    output.out(`${line}:${start - lineStart + 1}  ${type}  ${mask(source.slice(start, end))}  (${evidence})`);
  }
  output.err(spans.length === 1 ? '1 finding' : `${spans.length} findings`);
}

function mask(value: string): string {
  const shown = value.length < MIN_CHARS_TO_SHOW ? 0 : SHOWN_CHARS;
  const hidden = '*'.repeat(Math.min(12, value.length - shown));
  return hidden + value.slice(value.length - shown).replace(/[^\p{L}\p{N}.@-]/gu, '*');
}

async function readWhole(file: string | undefined): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of chunksOf(file)) chunks.push(chunk);
  return chunks.join('');
}

/** Splits a stream at line feeds. Other line ends are part of a text. */
async function* linesOf(file: string | undefined, text: string | undefined): AsyncGenerator<string> {
  let rest: string[] = [];
  for await (const chunk of text === undefined ? chunksOf(file) : [text]) {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      rest.push(chunk.slice(start, end));
      yield rest.join('');
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.slice(start));
  }
  yield rest.join('');
}

async function* chunksOf(file: string | undefined): AsyncGenerator<string> {
  if (file === undefined || file === '-') {
    process.stdin.setEncoding('utf8');
    for await (const chunk of process.stdin) yield String(chunk);
    return;
  }
  try {
    for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK_BYTES }))
      yield String(chunk);
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${messageOf(error)}. Correct the path.`);
  }
}
