import { AssertionError } from 'node:assert';
import { messageOf } from '@toolwright/core/errors';
import type { DetectorCase, DetectorSetup } from './detector/case.ts';
import { SPAN_CASES } from './detector/spans.ts';
import { TEXT_CASES } from './detector/texts.ts';

export type { DetectorCase, DetectorSample, DetectorSetup } from './detector/case.ts';

/** The rules that every detector must keep. */
export const detectorCases: readonly DetectorCase[] = [...SPAN_CASES, ...TEXT_CASES];

/**
 * Runs one rule against a detector. Rejects with an `AssertionError` whose message starts with the name of the rule if the
 * detector breaks it. Call it in one test per rule:
 *
 *     for (const rule of detectorCases) test(rule.name, () => runDetectorCase({ detector, samples }, rule));
 */
export async function runDetectorCase(setup: DetectorSetup, testCase: DetectorCase): Promise<void> {
  if (setup.samples.length === 0) throw new TypeError('The setup has no samples. Add a text with a value to find.');
  try {
    await testCase.run(setup);
  } catch (cause) {
    const message = `The detector "${setup.detector.name}" failed: ${messageOf(cause)}`;
    throw Object.assign(new AssertionError({ message: `${testCase.name}. ${message}` }), { cause });
  }
}
