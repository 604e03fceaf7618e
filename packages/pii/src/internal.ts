// For the other @toolwright packages. It may change in any version: programs import from the package itself.
export { auditFile } from './audit-file.ts';
export type { PatternText } from './patterns.ts';
export { checkPolicy, DERIVATIONS, TREATMENTS } from './policy.ts';
export { redactLogLine } from './redact-log-line.ts';
export { NO_REDACTION, type Redactor } from './redactor.ts';
export { createRedactors, NO_REDACTORS, type Redactors } from './redactors.ts';
export { type Keyring, loadKeyring, MASTER_KEY_VARIABLE } from './vault/master-key.ts';
export { addTo, expiry, PAGE_ENTRIES } from './vault/store.ts';
