import type { Redactor } from '@toolwright/pii/internal';
import { redactedPrefix } from './redacted-prefix.ts';
import type { Sample } from './sample.ts';

/** How much of a value an excerpt has. */
export interface Detail {
  /** First elements of each list. */
  readonly items: number;
  /** First keys of each object. */
  readonly keys: number;
  /** Characters of each text. */
  readonly characters: number;
  /** Nesting. Deeper lists and objects are counted. */
  readonly depth: number;
}

/** A longer key is replaced by its length. */
const MAX_KEY_CHARACTERS = 100;
/** Further long texts are replaced by their length: the start of each costs a redaction of its own. */
const MAX_LONG_TEXTS = 30;

/** Returns the start of a value: its first rows, keys and characters, each with the number of the others. Redacted. */
export async function excerptOf(sample: Sample, detail: Detail, redactor: Redactor): Promise<unknown> {
  const { value } = sample;
  const starts = new Map<string, string>();
  collectLongTexts(value, 0, detail, starts);
  for (const text of starts.keys()) {
    const start = await redactedPrefix(text, detail.characters, redactor);
    starts.set(text, `${start}… (+${text.length - start.length} characters)`);
  }
  return redactor.redact(cut(sample, value, 0, detail, starts));
}

function collectLongTexts(value: unknown, depth: number, detail: Detail, found: Map<string, string>): void {
  if (found.size >= MAX_LONG_TEXTS) return;
  if (typeof value === 'string') {
    if (value.length > detail.characters) found.set(value, '');
  } else if (typeof value === 'object' && value !== null && depth < detail.depth) {
    const inside = Array.isArray(value) ? value.slice(0, detail.items) : Object.values(value).slice(0, detail.keys);
    for (const item of inside) collectLongTexts(item, depth + 1, detail, found);
  }
}

function cut(
  sample: Sample,
  value: unknown,
  depth: number,
  detail: Detail,
  starts: ReadonlyMap<string, string>,
): unknown {
  if (typeof value === 'string') {
    return value.length <= detail.characters ? value : (starts.get(value) ?? `(${value.length} characters)`);
  }
  if (typeof value !== 'object' || value === null) return value;
  const inner = (item: unknown) => cut(sample, item, depth + 1, detail, starts);
  const count = sample.countOf(value);
  if (Array.isArray(value)) {
    if (depth >= detail.depth) return `[${count} items]`;
    const shown = value.slice(0, detail.items).map(inner);
    return [...shown, ...(count > shown.length ? [`… ${count - shown.length} more`] : [])];
  }
  if (depth >= detail.depth) return `{${count} keys}`;
  const shown = Object.entries(value).slice(0, detail.keys);
  const left = count - shown.length;
  return Object.fromEntries([
    ...shown.map(([key, item]) => [keyText(key), inner(item)]),
    ...(left > 0 ? [['…', `${left} more keys`]] : []),
  ]);
}

function keyText(key: string): string {
  return key.length <= MAX_KEY_CHARACTERS ? key : `(key of ${key.length} characters)`;
}
