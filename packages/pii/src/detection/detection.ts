import { messageOf, PiiError } from '../errors.ts';
import type { Detector, Span, TextContext } from './detector.ts';
import { detectText } from './documents/text.ts';
import { detectEntry, type Finding, type ValueOptions, walkValue } from './documents/value.ts';
import { resolveOverlaps } from './overlaps.ts';
import { type PatternText, patternDetector } from './patterns.ts';

/** The built-in rules together with a user's patterns and detectors. */
export interface Detection {
  /** Adds a kind of value; its type is the name in upper case. `PATTERN_INVALID` when it cannot run in linear time. */
  addPattern(name: string, pattern: RegExp | PatternText): void;
  addDetector(detector: Detector): void;
  /** The types of the patterns that were added. */
  types(): readonly string[];
  detectText(text: string, context?: TextContext): Promise<Span[]>;
  /** The findings of each string and number of a JSON value. */
  detectValue(value: unknown, options?: ValueOptions): Promise<Finding[]>;
}

/** What a detection begins with. */
export interface DetectionOptions {
  readonly patterns?: Readonly<Record<string, string | RegExp | PatternText>>;
  readonly detectors?: readonly Detector[];
}

/** Puts the built-in rules, patterns and detectors together; overlaps are resolved over all of them. */
export function createDetection({ patterns = {}, detectors = [] }: DetectionOptions = {}): Detection {
  const added: Detector[] = [];
  const own: Detector[] = [...detectors];
  const types = new Set<string>();
  const addPattern = (name: string, pattern: RegExp | PatternText) => {
    added.push(patternDetector(name, pattern));
    types.add(name.toUpperCase());
  };
  for (const [name, pattern] of Object.entries(patterns)) {
    addPattern(name, typeof pattern === 'string' ? { pattern } : pattern);
  }
  const others = async (text: string, context: TextContext): Promise<Span[]> =>
    (await Promise.all([...added, ...own].map((detector) => ask(detector, text, context)))).flat();
  return {
    addPattern,
    addDetector: (detector) => void own.push(detector),
    types: () => [...types],
    detectText: async (text, context = {}) =>
      resolveOverlaps([...detectText(text, context), ...(await others(text, context))]),
    async detectValue(value, options = {}) {
      const waiting: (Finding | Promise<Finding>)[] = [];
      walkValue(value, options, (leaf, entry, path, inKey) => {
        const finding = (more: readonly Span[]): Finding => ({
          path,
          value: entry,
          spans: resolveOverlaps([...detectEntry(entry, leaf), ...more]),
          ...(inKey ? { inKey: true as const } : {}),
        });
        const key = path.findLast((part) => typeof part === 'string');
        const alone = added.length + own.length === 0;
        waiting.push(alone ? finding([]) : others(String(entry), key === undefined ? {} : { key }).then(finding));
      });
      return (await Promise.all(waiting)).filter(({ spans }) => spans.length > 0);
    },
  };
}

/** A detector that fails or answers nonsense must not let a text through. */
async function ask(detector: Detector, text: string, context: TextContext): Promise<readonly Span[]> {
  let spans: readonly Span[];
  try {
    spans = await detector.detect(text, context);
  } catch (error) {
    throw failed(detector, messageOf(error), error);
  }
  const wrong = spans.find(({ start, end }) => !(start >= 0 && start < end && end <= text.length));
  if (wrong)
    throw failed(detector, `it answered a span ${wrong.start}-${wrong.end} of a text of ${text.length} characters`);
  return spans;
}

function failed(detector: Detector, problem: string, cause?: unknown): PiiError {
  return new PiiError('INTERNAL', `The detector "${detector.name}" failed: ${problem}.`, { cause });
}
