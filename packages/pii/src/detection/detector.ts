/** The types that the built-in rules find. Patterns and detectors may add others. */
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
 * The evidence for a finding, strongest first. `proved`: a check digit or a unique format. `marked`: its key or schema.
 * `shape+context`: its form and a word near it. `shape`: its form alone.
 */
export type Evidence = 'proved' | 'marked' | 'shape+context' | 'shape';

/** One finding in a text: UTF-16 offsets, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly type: PiiType;
  readonly evidence: Evidence;
}

/** The position of a text in a tool's result. */
export interface TextContext {
  /** The key whose value is the text. */
  readonly key?: string;
  /** The part of the tool's output schema that describes the text. */
  readonly schema?: SchemaHint;
}

/** The keywords of a JSON Schema that detection reads. */
export interface SchemaHint {
  readonly format?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  /** The name of a type, or `false` for a value without personal data. */
  readonly 'x-pii'?: unknown;
  readonly properties?: unknown;
  readonly items?: unknown;
}

/**
 * The port of detection. A detector returns spans or a promise of them. Spans are inside of the text, sorted, and do not
 * overlap. A detector that cannot answer must throw: the detection then fails, and nothing is shown. The rules are in
 * `@toolwright/pii/conformance/detector`.
 */
export interface Detector {
  /** The name in errors. */
  readonly name: string;
  /** Returns the findings in a text. Must not keep state between calls. */
  detect(text: string, context?: TextContext): readonly Span[] | Promise<readonly Span[]>;
}
