import { encodedParts } from '../encodings/encoding.ts';
import type { EncodedPart } from '../encodings/part.ts';
import { visitSteps } from '../json-walk.ts';
import { inSlices } from '../slices.ts';
import { hasEncodedPlaceholder } from './encoded-placeholders.ts';
import type { Found, FoundAt } from './redact.ts';

export interface EncodedOptions {
  /** Redacts the content of an encoded part. */
  readonly redactContent: (content: unknown) => Promise<unknown>;
  /** Whether texts that look like placeholders are changed too. */
  readonly escapes: boolean;
  /** Whether the findings are known values, which are found in encoded parts without a mark. Default: false. */
  readonly areKnown?: boolean;
}

/** An encoded part of a leaf, and the place of the leaf among the findings. */
interface Waiting {
  readonly part: EncodedPart;
  readonly at: number;
}

/**
 * Returns the findings with those inside of encoded parts replaced: the content is redacted, and encoded again in the same form. A
 * finding that is more than an encoded part, such as a token, stays.
 */
export async function redactEncoded(
  value: unknown,
  findings: readonly FoundAt[],
  options: EncodedOptions,
): Promise<readonly FoundAt[]> {
  const inLeaves = findings.filter(({ inKey }) => !inKey);
  const result: FoundAt[] = [];
  const waiting: Waiting[] = [];
  let next = 0;
  const leaf = (text: string | number, path: readonly (string | number)[]) => {
    const finding = inLeaves[next];
    const isHere = finding !== undefined && finding.value === text && isSamePath(finding.path, path);
    if (isHere) next++;
    const parts = typeof text === 'string' ? partsToRedact(text, isHere ? finding.spans : [], options) : [];
    if (!isHere && parts.length === 0) return;
    for (const part of parts) waiting.push({ part, at: result.length });
    result.push(isHere ? finding : { path: [...path], value: text, spans: [] });
  };
  await inSlices(visitSteps(value, { leaf }));
  for (const { part, at } of waiting) {
    const redacted = await options.redactContent(part.content);
    const before = result[at];
    const isChanged = JSON.stringify(redacted) !== JSON.stringify(part.content);
    if (before && isChanged)
      result[at] = { ...before, spans: withRewritten(before.spans, part, part.encode(redacted)) };
  }
  const keys = findings.filter(({ inKey }) => inKey);
  return [...keys, ...result.filter(({ spans }) => spans.length > 0)];
}

function partsToRedact(
  text: string,
  spans: readonly Found[],
  { escapes, areKnown = false }: EncodedOptions,
): EncodedPart[] {
  return encodedParts(text).filter(({ kind, start, end, content }) => {
    const touching = spans.filter((span) => span.start < end && span.end > start);
    // A longer finding, such as a token, and a whole text that its key marks, stay as they are.
    if (touching.some((span) => span.start < start || span.end > end)) return false;
    if (kind === 'json' && touching.some((span) => span.start === start && span.end === end)) return false;
    if (touching.length > 0) return kind === 'json' || areKnown || touching.every((span) => span.encoded === true);
    if (escapes && hasEncodedPlaceholder(content)) return true;
    return kind !== 'json' && encodedParts(String(content)).length > 0;
  });
}

function withRewritten(spans: readonly Found[], { start, end }: EncodedPart, rewritten: string): Found[] {
  const others = spans.filter((span) => span.end <= start || span.start >= end);
  return [...others, { start, end, type: '', rewritten }];
}

function isSamePath(a: readonly (string | number)[], b: readonly (string | number)[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}
