import { messageOf, PiiError } from '../errors.ts';
import { inSlices, type Steps } from '../slices.ts';
import { LARGE_CHARACTERS } from '../workers/pool.ts';
import type { Detector, Span, TextContext } from './detector.ts';
import type { Finding, FoundLeaf, ValueOptions } from './documents/value.ts';
import { loaded, loadRules } from './load-rules.ts';
import { overlapSteps } from './overlaps.ts';
import { type PatternText, patternDetector } from './patterns.ts';
import { askDecoded } from './scanning/decoded.ts';

/** The built-in rules together with a user's patterns and detectors. */
export interface Detection {
  /** Adds a pattern; its type is the name in upper case. Raises `PATTERN_INVALID` if it cannot run in linear time. */
  addPattern(name: string, pattern: RegExp | PatternText): void;
  addDetector(detector: Detector): void;
  /** Returns the types of the added patterns. */
  types(): readonly string[];
  /** Returns the findings in a text. Raises `INTERNAL` if a detector fails. */
  detectText(text: string, context?: TextContext): Promise<Span[]>;
  /** Checks quickly whether a small JSON value has no finding, and no text that redaction changes. Returns false where it is not sure. */
  isPlain(value: unknown, options?: ValueOptions): boolean;
  /** Returns the findings of each string and number of a JSON value. */
  detectValue(value: unknown, options?: ValueOptions): Promise<Finding[]>;
}

/** Patterns and detectors in addition to the built-in rules. */
export interface DetectionOptions {
  readonly patterns?: Readonly<Record<string, string | RegExp | PatternText>>;
  readonly detectors?: readonly Detector[];
}

/** Combines the built-in rules, patterns and detectors. Overlaps are resolved among all findings. */
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
  const others = (text: string, context: TextContext): Promise<Span[]> =>
    added.length + own.length === 0
      ? Promise.resolve([])
      : askDecoded(text, async (part) =>
          (await Promise.all([...added, ...own].map((detector) => ask(detector, part, context)))).flat(),
        );
  return {
    addPattern,
    addDetector: (detector) => void own.push(detector),
    types: () => [...types],
    async detectText(text, context = {}) {
      const { findInLargeText, leafOf, textSteps } = await loadRules();
      const searched =
        text.length >= LARGE_CHARACTERS ? findInLargeText(text, leafOf(context)) : inSlices(textSteps(text, context));
      const [own, more] = await Promise.all([searched, others(text, context)]);
      return inSlices(overlapSteps([...own, ...more]));
    },
    isPlain(value, { key, schema, seen } = {}) {
      if (added.length + own.length > 0 || key !== undefined) return false;
      const isNumber = typeof value === 'number' || typeof value === 'bigint';
      // A number needs no rules.
      return (isNumber && schema === undefined) || loaded.rules?.isPlainValue(value, schema, seen) === true;
    },
    async detectValue(value, options = {}) {
      const isAlone = added.length + own.length === 0;
      const { findInLargeText, findingOf, spansOf, visitLeaves } = await loadRules();
      const waiting: (Finding | Promise<Finding>)[] = [];
      let isAsked = false;
      const wait = (asked: Promise<Finding>) => {
        isAsked = true;
        // A detector may fail before the last leaf is reached, when nothing waits for it yet.
        asked.catch(() => undefined);
        waiting.push(asked);
      };
      const withOthers = async (finding: Finding): Promise<Finding> => {
        const key = finding.path.findLast((part) => typeof part === 'string');
        const more = await others(String(finding.value), { key });
        return { ...finding, spans: await inSlices(overlapSteps([...finding.spans, ...more])) };
      };
      const add = (found: FoundLeaf, spans: readonly Span[]) => {
        if (!isAlone) wait(withOthers(findingOf(found, spans)));
        else if (spans.length > 0) waiting.push(findingOf(found, spans));
      };
      const addLarge = (found: FoundLeaf, text: string) => {
        const finding = findingOf(found, []);
        const searched = findInLargeText(text, found.leaf).then((spans) => ({ ...finding, spans }));
        wait(isAlone ? searched : searched.then(withOthers));
      };
      function* addLong(found: FoundLeaf, steps: Steps<readonly Span[]>): Steps {
        add(found, yield* steps);
      }
      await inSlices(
        visitLeaves(value, options, (found) => {
          if (isLarge(found.value)) return addLarge(found, found.value);
          const spans = spansOf(found, options.seen);
          return 'next' in spans ? addLong(found, spans) : add(found, spans);
        }),
      );
      // Without a question, every finding has spans. There may be some 100,000.
      if (!isAsked) return waiting as Finding[];
      return (await Promise.all(waiting)).filter(({ spans }) => spans.length > 0);
    },
  };
}

function isLarge(value: string | number | bigint): value is string {
  return typeof value === 'string' && value.length >= LARGE_CHARACTERS;
}

/** Calls a detector. Raises `INTERNAL` if it fails or returns an invalid span: the text must not be shown then. */
async function ask(detector: Detector, text: string, context: TextContext): Promise<readonly Span[]> {
  let spans: readonly Span[];
  try {
    spans = await detector.detect(text, context);
  } catch (error) {
    throw failed(detector, messageOf(error), error);
  }
  const wrong = spans.find(({ start, end }) => !(start >= 0 && start < end && end <= text.length));
  if (wrong)
    throw failed(detector, `it returned the span ${wrong.start}-${wrong.end} for a text of ${text.length} characters`);
  return spans;
}

function failed(detector: Detector, problem: string, cause?: unknown): PiiError {
  return new PiiError('INTERNAL', `The detector "${detector.name}" failed: ${problem}.`, { cause });
}
