import { inSlices } from '../slices.ts';
import { foundSteps } from '../workers/message.ts';
import { searchWorkers } from '../workers/pool.ts';
import { type Evidence, PII_TYPES, type Span } from './detector.ts';
import { valueSteps } from './documents/text.ts';
import type { Leaf } from './scanning/leaf.ts';

const EVIDENCE: readonly Evidence[] = ['proved', 'marked', 'shape+context', 'shape'];

/** The search for values by the built-in rules, with the facts about the text. */
export interface LeafSearch {
  readonly leaf: Leaf;
}

/** Finds values in a large text by the built-in rules, as `valueSteps` does: in a thread if one is free. */
export async function findInLargeText(text: string, leaf: Leaf): Promise<readonly Span[]> {
  const found = await searchWorkers.find(text, { leaf } satisfies LeafSearch);
  return inSlices(found ? foundSteps(found, spanOf) : valueSteps(text, leaf));
}

/** Returns the type and the evidence of a span of the built-in rules as one number. */
export function kindOfSpan({ type, evidence }: Span): number {
  return (PII_TYPES as readonly string[]).indexOf(type) * EVIDENCE.length + EVIDENCE.indexOf(evidence);
}

function spanOf(start: number, end: number, kind: number): Span {
  const type = PII_TYPES[Math.floor(kind / EVIDENCE.length)] ?? 'SECRET';
  return { start, end, type, evidence: EVIDENCE[kind % EVIDENCE.length] ?? 'shape' };
}
