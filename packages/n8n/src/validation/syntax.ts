import { createHash } from 'node:crypto';
import { ToolwrightError } from '@toolwright/core/errors';
import { type ExpressionReading, readExpressions } from '@toolwright/core/internal';

/** The call that needs readings. */
export interface Caller {
  /** Language workers divide their time among users. Default: none. */
  readonly userId?: string | undefined;
  /** Ends the readings of a cancelled call. */
  readonly signal?: AbortSignal | undefined;
}

/** Answers about texts of a workflow, read as JavaScript. Nothing is evaluated. */
export interface Syntax extends ObjectSyntax {
  /** Returns the syntax error of an expression; undefined when it has none. */
  problemOf(text: string): string | undefined;
}

/** The syntax of objects. */
export interface ObjectSyntax {
  isObjectLiteral(text: string): boolean;
}

/** The answer for a text that is not read yet: rules go on, and ask about all texts that they could ask about. */
const NOT_YET: ExpressionReading = { isObject: true };
/** Characters of the texts that a language worker reads at once. A longer text is read alone, so that it harms no other. */
const MAX_BATCH_CHARACTERS = 16 * 1024;
/** Requests of one call that may fail. Each one ends a language worker, which takes seconds. */
const MAX_FAILURES = 6;
const MAX_KNOWN = 2_000;
/** Characters of a text up to which it is its own key. */
const MAX_KEY_CHARACTERS = 200;

const TOO_COMPLEX: ExpressionReading = { problem: 'too complex to be read', isObject: false };
const UNREAD: ExpressionReading = { problem: 'not read, because other texts are too complex', isObject: false };

/** Readings of earlier calls: workflows are validated again and again. */
const known = new Map<string, ExpressionReading>();

/**
 * Runs rules that ask about texts of a workflow. This process parses no such text: a language worker reads the texts that
 * the rules asked about, for this caller, and the rules run again. They must do nothing but return a result. Raises
 * `LANGUAGE_SERVICE_BUSY`.
 */
export async function withSyntax<Result>(caller: Caller, rules: (syntax: Syntax) => Result): Promise<Result> {
  const readings = new Map<string, ExpressionReading>();
  for (;;) {
    const missing = new Set<string>();
    const readingOf = (text: string): ExpressionReading => {
      const reading = readings.get(text);
      if (!reading) missing.add(text);
      return reading ?? NOT_YET;
    };
    const result = rules({
      problemOf: (text) => readingOf(text).problem,
      isObjectLiteral: (text) => readingOf(text).isObject,
    });
    if (missing.size === 0) return result;
    for (const [text, reading] of await readTexts([...missing], caller)) readings.set(text, reading);
  }
}

/**
 * Reads texts as JavaScript in language workers. A text that no worker can read has this as its problem. Raises
 * `LANGUAGE_SERVICE_BUSY`.
 */
async function readTexts(texts: readonly string[], caller: Caller): Promise<Map<string, ExpressionReading>> {
  const readings = new Map<string, ExpressionReading>();
  const unknown: string[] = [];
  for (const text of texts) {
    const reading = known.get(keyOf(text));
    if (reading) readings.set(text, reading);
    else unknown.push(text);
  }
  const attempts = { left: MAX_FAILURES };
  for (const batch of batchesOf(unknown)) {
    const found = await readBatch(batch, caller, attempts);
    for (const [index, text] of batch.entries()) readings.set(text, remember(text, found[index] ?? UNREAD));
  }
  return readings;
}

/** Divides texts, the short ones first. */
function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const text of texts.toSorted((a, b) => a.length - b.length)) {
    if (characters + text.length > MAX_BATCH_CHARACTERS) {
      batch = [];
      batches.push(batch);
      characters = 0;
    }
    batch.push(text);
    characters += text.length;
  }
  return batches;
}

/** Reads texts in one request. When that fails, reads halves, down to the text that no worker can read. */
async function readBatch(
  texts: readonly string[],
  caller: Caller,
  attempts: { left: number },
): Promise<ExpressionReading[]> {
  if (attempts.left === 0) return texts.map(() => UNREAD);
  try {
    return await readExpressions(texts, caller.userId ?? '', caller.signal);
  } catch (error) {
    if (!(error instanceof ToolwrightError) || error.code !== 'SOURCE_TOO_COMPLEX') throw error;
    attempts.left--;
    if (texts.length === 1) return [TOO_COMPLEX];
    const middle = Math.ceil(texts.length / 2);
    const first = await readBatch(texts.slice(0, middle), caller, attempts);
    return [...first, ...(await readBatch(texts.slice(middle), caller, attempts))];
  }
}

function remember(text: string, reading: ExpressionReading): ExpressionReading {
  // A text that took too long may be read at another time. The language workers remember those that ended one.
  if (reading === TOO_COMPLEX || reading === UNREAD) return reading;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(keyOf(text), reading);
  return reading;
}

function keyOf(text: string): string {
  return text.length <= MAX_KEY_CHARACTERS ? text : createHash('sha256').update(text).digest('base64');
}
