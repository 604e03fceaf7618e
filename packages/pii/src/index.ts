export { createDetection, type Detection, type DetectionOptions } from './detection/detection.ts';
export {
  type Detector,
  type Evidence,
  PII_TYPES,
  type PiiType,
  type Span,
  type TextContext,
} from './detection/detector.ts';
export type { PatternText } from './detection/patterns.ts';
export { PiiError, type PiiErrorCode } from './errors.ts';
export type { AuditRecord, AuditSink } from './policy/audit.ts';
export type { Derivation, Fact, PiiPolicy, Treatment } from './policy/policy.ts';
export { createRedactor, type PiiRedactor, type PiiRedactorOptions } from './redaction/create-redactor.ts';
export type { PersonalData, SessionRef } from './redaction/redactors.ts';
export type { RedactStream } from './redaction/streams/redact-stream.ts';
export type { RestoreStream } from './redaction/streams/restore-stream.ts';
export { memoryStore } from './vault/memory-store.ts';
export type { Change, Entry, Lifetime, Store, Value } from './vault/store.ts';
