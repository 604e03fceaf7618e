import { layerSteps, mayHaveEncoding } from '../../encodings/layers.ts';
import { inSlices } from '../../slices.ts';
import type { Span } from '../detector.ts';
import { normaliseSteps } from './normalise.ts';

/** The deepest encoding in an encoding that is searched. */
const MAX_LEVELS = 3;

/**
 * Returns the spans that `find` finds in a text, in its plain form without escapes, and in the texts that are encoded in it. An
 * encoded text with a value is one span. The redaction then reads the value inside of it.
 */
export async function askDecoded(
  text: string,
  find: (text: string) => Promise<readonly Span[]>,
  levels: number = MAX_LEVELS,
): Promise<Span[]> {
  const found = [...(await find(text))];
  const normal = await inSlices(normaliseSteps(text));
  if (normal) {
    for (const span of await find(normal.text)) {
      found.push({ ...span, start: normal.start(span.start), end: normal.end(span.end - 1) });
    }
  }
  if (levels === 0 || !mayHaveEncoding(text)) return found;
  for (const { start, end, text: decoded } of await inSlices(layerSteps(text))) {
    const [first] = await askDecoded(decoded, find, levels - 1);
    if (first) found.push({ start, end, type: first.type, evidence: 'marked' });
  }
  return found;
}
