// For the other @toolwright packages. Any version may change it: programs import from the package itself.

export type { Detection } from './detection/detection.ts';
export { isCommonWord } from './detection/hints/frequent-words.ts';
export { linearPattern } from './detection/linear-pattern.ts';
export { loadRules } from './detection/load-rules.ts';
export type { PatternText } from './detection/patterns.ts';
export { isOnlyPlaceholder, readPlaceholders } from './placeholder.ts';
export { auditFile } from './policy/audit-file.ts';
export { checkPolicy } from './policy/policy.ts';
export { cutOutsideValues } from './redaction/cut.ts';
export { redactLogLine } from './redaction/log-lines/log-line.ts';
export type { BarredPlaceholders, ProgramValues } from './redaction/programs/program-values.ts';
export { NO_REDACTION, type Redactor } from './redaction/redactor.ts';
export { createRedactors, NO_REDACTORS, type Redactors } from './redaction/redactors.ts';
export type { OtherTexts } from './redaction/value-texts.ts';
export { atOnce, inSlices, type Steps } from './slices.ts';
export { type Keyring, keyringOf, loadKeyring, MASTER_KEY_VARIABLE } from './vault/keys/master-key.ts';
export { KEY_ID_BYTES, type SealingKey, seal, unseal } from './vault/keys/sealing.ts';
export { VAULT_NAMESPACES } from './vault/keys/session-key.ts';
export { ownershipProblem } from './vault/ownership.ts';
