import { createReadStream } from 'node:fs';
import type { ToolwrightConfig } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { createDetection, type Span } from '@toolwright/pii';
import { messageOf } from '@toolwright/sandbox/internal';

/** What `toolwright pii scan` was asked to do. */
export interface PiiArguments {
  readonly words: readonly string[];
  /** The text itself; else a file, else standard input. */
  readonly text?: string;
  readonly json: boolean;
  /** One object `{id?, text}` per line in, one `{id?, spans}` per line out. */
  readonly jsonl: boolean;
  /** Of the configuration: patterns of one's own, and types that are left alone. */
  readonly settings?: Pick<ToolwrightConfig['pii'], 'patterns' | 'ignore'>;
}

type Detect = (text: string) => Promise<Span[]>;

/** Ends of a value that are shown; short values show none. */
const SHOWN_CHARS = 2;
const MIN_CHARS_TO_SHOW = 9;
const CHUNK_BYTES = 1_048_576;

/** Finds personal data and secrets; their values are masked in what is printed. */
export async function pii(given: PiiArguments, output: Output): Promise<number> {
  const { words, text, json, jsonl, settings = {} } = given;
  const [action, file, ...more] = words;
  if (action !== 'scan') throw new UsageError('"pii" takes scan, forget VALUE or rotate.');
  if (more.length > 0 || (file !== undefined && text !== undefined)) {
    throw new UsageError('"pii scan" takes one file, or -e TEXT, or standard input.');
  }
  if (json && jsonl) throw new UsageError('Take --json or --jsonl, not both.');
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

/** Finds what the configuration has replaced. */
function detectorOf({ patterns = {}, ignore = [] }: NonNullable<PiiArguments['settings']>): Detect {
  const detection = createDetection({ patterns });
  const ignored = new Set(ignore.map((type) => type.toUpperCase()));
  return async (text) => (await detection.detectText(text)).filter(({ type }) => !ignored.has(type));
}

async function answer(line: string, number: number, detect: Detect): Promise<string> {
  let entry: unknown;
  try {
    // Not the parser's own message: it quotes the line, which may hold personal data.
    entry = JSON.parse(line.replace(/^\ufeff/, ''));
  } catch {
    throw new UsageError(
      `Line ${number} is not JSON. A line is one object {"text": "..."}; "id" is copied to the answer.`,
    );
  }
  const { id, text } = (entry ?? {}) as { id?: unknown; text?: unknown };
  if (typeof text !== 'string') {
    throw new UsageError(`Line ${number} has no text: it needs {"text": "..."}; "id" is copied to the answer.`);
  }
  const spans = (await detect(text)).map(({ start, end, type }) => ({ start, end, type }));
  return JSON.stringify(id === undefined ? { spans } : { id, spans });
}

function print(source: string, spans: readonly Span[], output: Output): void {
  let line = 1;
  let lineStart = 0;
  // Looked for once for each line: a text of one line is read once, whatever is found in it.
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

/** Lines end with a line feed only: other line ends are part of a text. */
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
    throw new UsageError(`Cannot read ${file}: ${messageOf(error)}`);
  }
}
