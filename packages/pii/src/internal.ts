// For the other @toolwright packages. It may change in any version: programs import from the package itself.
export { auditFile } from './audit-file.ts';
export { type Redactor, NO_REDACTION } from './redactor.ts';
export { createRedactors, type Redactors, NO_REDACTORS } from './redactors.ts';
export { redactLogLine } from './redact-log-line.ts';
export type { PatternText } from './patterns.ts';
export { checkPolicy, DERIVATIONS, TREATMENTS } from './policy.ts';
export { type Keyring, loadKeyring, MASTER_KEY_VARIABLE } from './vault/master-key.ts';
export { addTo, expiry, PAGE_ENTRIES } from './vault/store.ts';
