import type { Detector, Span } from '@toolwright/pii';

/** A text, and the values in it that the detector must find, in order. */
export interface DetectorSample {
  readonly text: string;
  readonly values: readonly { readonly text: string; readonly type: string }[];
}

/** A detector under test. */
export interface DetectorSetup {
  readonly detector: Detector;
  /** At least one. */
  readonly samples: readonly DetectorSample[];
  /** A detector that cannot answer, for example because its model is unreachable. Detectors that cannot fail omit it. */
  readonly failing?: Detector;
}

/** One rule for detectors. */
export interface DetectorCase {
  /** The rule as a sentence. */
  readonly name: string;
  run(setup: DetectorSetup): Promise<void>;
}

/** Returns each sample with its spans. */
export async function detectSamples({ detector, samples }: DetectorSetup): Promise<{ text: string; spans: Span[] }[]> {
  return Promise.all(samples.map(async ({ text }) => ({ text, spans: [...(await detector.detect(text))] })));
}
