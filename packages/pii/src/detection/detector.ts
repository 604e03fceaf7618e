/** What kinds of personal data and secrets the built-in rules tell apart. A user's pattern or detector may add its own. */
export const PII_TYPES = [
  'SECRET',
  'IBAN',
  'CREDIT_CARD',
  'EMAIL',
  'SSN',
  'NATIONAL_ID',
  'PASSPORT',
  'MAC',
  'IP',
  'PHONE',
  'DATE_OF_BIRTH',
  'ADDRESS',
  'NAME',
] as const;

/** A built-in type, or the name of a user's pattern in upper case. */
export type PiiType = (typeof PII_TYPES)[number] | (string & {});

/**
 * Why something was found, strongest first: `proved` by a check digit or a format that nothing else has, `marked` by its
 * key or schema, `shape+context` by its form and a word near it, `shape` by its form alone.
 */
export type Evidence = 'proved' | 'marked' | 'shape+context' | 'shape';

/** One finding in a text: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly type: PiiType;
  readonly evidence: Evidence;
}

/** What is known about a text beside the text: where it stands in a tool's result. */
export interface TextContext {
  /** The key that the text is the value of. */
  readonly key?: string;
  /** The part of the tool's output schema that describes it. */
  readonly schema?: SchemaHint;
}

/** What detection reads of a JSON Schema; other keywords are ignored. */
export interface SchemaHint {
  readonly format?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  /** The name of a type, or `false`: there is no personal data here. */
  readonly 'x-pii'?: unknown;
  readonly properties?: unknown;
  readonly items?: unknown;
}

/**
 * The port of detection. A detector may answer at once or by a promise, as a model does; it must not change the text, and
 * spans outside of it are an error of the detector. One that throws fails the whole detection: fail closed.
 */
export interface Detector {
  /** Shown in errors. */
  readonly name: string;
  detect(text: string, context?: TextContext): readonly Span[] | Promise<readonly Span[]>;
}
