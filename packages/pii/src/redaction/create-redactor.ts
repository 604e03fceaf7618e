import { randomUUID } from 'node:crypto';
import { createDetection, type DetectionOptions } from '../detection/detection.ts';
import type { PiiType } from '../detection/detector.ts';
import { PiiError } from '../errors.ts';
import type { AuditSink } from '../policy/audit.ts';
import { checkPolicy, type PiiPolicy, RESTRICTED_TYPES } from '../policy/policy.ts';
import { keyringOf, newKeyring } from '../vault/keys/master-key.ts';
import { memoryStore } from '../vault/memory-store.ts';
import type { Lifetime, Store } from '../vault/store.ts';
import { openVault } from '../vault/vault.ts';
import { openRedactor } from './redactor.ts';
import type { RedactStream } from './streams/redact-stream.ts';
import type { RestoreStream } from './streams/restore-stream.ts';

/** Options of {@link createRedactor}. `patterns` and `detectors` add types to the built-in ones. */
export interface PiiRedactorOptions extends DetectionOptions {
  /** Types that are not redacted. Default: none. */
  readonly ignore?: readonly PiiType[];
  /**
   * Rules that decide which values `restore` returns to which reader. Default: every reader receives every value. With
   * a policy, types such as `SECRET` and `SSN` are denied unless the policy names them.
   */
  readonly policy?: PiiPolicy;
  /** Receives a record of each restored and each denied placeholder. Default: none. */
  readonly audit?: AuditSink;
  /** Keeps the sealed values. Default: memory that lasts as long as the redactor. Requires `keys`. */
  readonly store?: Store;
  /** Master keys of 32 bytes in base64 or hex, the current one first. Older ones only open. Required with `store`. */
  readonly keys?: string | readonly string[];
  /** The user that the values belong to. Default: `local`. */
  readonly user?: string;
  /**
   * The session that the values belong to. Default: a new one; read its id from {@link PiiRedactor.session}. If the
   * store has no values of a given session, its numbers start at a random high number. Older placeholders then never
   * resolve to other values.
   */
  readonly session?: string;
  /** How long a store keeps the values. Default: 30 days after their last use, at most a year. */
  readonly lifetime?: Lifetime;
}

/**
 * Redacts and restores the values of one session. All methods reject with a `PiiError` if a value cannot be redacted or
 * restored: `STORE_UNAVAILABLE`, `VAULT_LOCKED`, `VAULT_CORRUPT`, or `INTERNAL` for a failed detector. Show nothing then.
 */
export interface PiiRedactor extends AsyncDisposable {
  /** The id of the session. Pass it as `session`, with the same store, keys and user, to continue it. */
  readonly session: string;
  /**
   * Returns a text or JSON value with placeholders in place of personal data and secrets. Equal values have equal
   * placeholders. Placeholders in the value stay as they are, so redacting twice returns the same. Raises `PII_LIMIT` for more than 50,000
   * values that the session does not know.
   */
  redact<T>(value: T): Promise<T>;
  /**
   * Returns a text or JSON value with the values in place of placeholders. `reader` (default `user`) is the name that the
   * policy and the audit use. Raises `UNKNOWN_PLACEHOLDER` and `PII_DENIED`.
   */
  restore<T>(value: T, options?: { readonly reader?: string }): Promise<T>;
  /** Redacts a text that arrives in pieces. The output is the same for all cuts. */
  redactStream(): RedactStream;
  /** Restores a text that arrives in pieces, such as the answer of a model. The output is the same for all cuts. */
  restoreStream(options?: { readonly reader?: string }): RestoreStream;
  /** Forgets a value, given as its placeholder or in any spelling. Returns how many placeholders no longer resolve. */
  forget(value: string): Promise<number>;
  /** Deletes values in memory; later calls raise `CLOSED`. A store from the options stays open, with its values. */
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_USER = 'local';
const DEFAULT_READER = 'user';
const RESTORE_ALL: PiiPolicy = {
  tools: { '*': Object.fromEntries([...RESTRICTED_TYPES].map((type) => [type, 'allow'])) },
};

/**
 * Creates a redactor for texts and JSON values, with all values in memory unless a `store` is given. Raises
 * `CONFIG_INVALID` for a store without keys, a wrong key or a wrong policy, and `PATTERN_INVALID` for a wrong pattern.
 */
export function createRedactor(options: PiiRedactorOptions = {}): PiiRedactor {
  const { ignore = [], policy, audit = () => undefined, store = memoryStore(), lifetime } = options;
  const { patterns, detectors, user = DEFAULT_USER, session = randomUUID() } = options;
  const vault = openVault({
    store,
    keys: keyringFor(options),
    user,
    session,
    resumed: options.session !== undefined && options.store !== undefined,
    lifetime,
  });
  const redactor = openRedactor({
    vault,
    detection: createDetection({ patterns, detectors }),
    policy: policy ? checkPolicy(policy) : RESTORE_ALL,
    audit,
    ignored: new Set(ignore),
    clear: new Set(),
  });
  return {
    session,
    redact: redactor.redact,
    restore: (value, { reader = DEFAULT_READER } = {}) => redactor.restoreFor(value, reader),
    redactStream: redactor.redactStream,
    restoreStream: ({ reader = DEFAULT_READER } = {}) => redactor.restoreStreamFor(reader),
    forget: vault.forget,
    async [Symbol.asyncDispose]() {
      if (options.store === undefined) await store[Symbol.asyncDispose]();
    },
  };
}

function keyringFor({ store, keys }: PiiRedactorOptions) {
  if (keys !== undefined) return keyringOf(typeof keys === 'string' ? [keys] : keys, 'The option "keys"');
  if (store === undefined) return newKeyring();
  throw new PiiError(
    'CONFIG_INVALID',
    'createRedactor has a "store" but no "keys". Pass a master key as "keys"; create one with: openssl rand -base64 32',
  );
}
