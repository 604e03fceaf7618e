import { randomUUID } from 'node:crypto';
import type { PatternText } from '../detection/patterns.ts';
import { type Keyring, newKeyring } from '../vault/keys/master-key.ts';
import { type Rotation, rotateVaults } from '../vault/keys/rotation.ts';
import { storedNumbers } from '../vault/numbers.ts';
import type { Lifetime, Store } from '../vault/store.ts';
import { openVault, type Vault } from '../vault/vault.ts';
import { createAnswerBudget } from './programs/answer-budget.ts';
import { NO_REDACTION, openRedactor, type Redactor, type RedactorOptions } from './redactor.ts';
import type { RedactStream } from './streams/redact-stream.ts';
import type { RestoreStream } from './streams/restore-stream.ts';

/** The session, or user, whose values are redacted and restored. */
export interface SessionRef {
  /** Default: `local`. */
  readonly userId?: string | undefined;
  /** A session. Default: none, for the values of the user's executions without a session. */
  readonly sessionId?: string | undefined;
}

/** Redaction for the embedding program. */
export interface PersonalData {
  /**
   * Redacts a text or JSON value for a model: values become placeholders of the session. With `detect: false`, only values
   * that the session knows already do.
   */
  redact<T>(value: T, sessionRef?: SessionRef & { readonly detect?: boolean }): Promise<T>;
  /**
   * Restores values for the user, never for a model. The policy and the audit treat `reader` (default `user`) as a tool.
   * Raises `UNKNOWN_PLACEHOLDER` and `PII_DENIED`.
   */
  restore<T>(value: T, sessionRef?: SessionRef & { readonly reader?: string }): Promise<T>;
  /**
   * Restores values as {@link restore} does, for a person: a placeholder that is unknown, or that the policy denies, stays, and all others
   * are restored. Names without brackets, `EMAIL_1`, are read too.
   */
  show<T>(value: T, sessionRef?: SessionRef & { readonly reader?: string }): Promise<T>;
  /** Redacts a text that arrives in pieces, with the same output for all cuts; see {@link redact}. */
  redactStream(sessionRef?: SessionRef): Promise<RedactStream>;
  /** Restores a text that arrives in pieces, such as the answer of a model; see {@link restore}. */
  restoreStream(sessionRef?: SessionRef & { readonly reader?: string }): Promise<RestoreStream>;
  /** Forgets a value, given as its placeholder or in any spelling. Returns how many placeholders no longer resolve. */
  forget(value: string, sessionRef?: SessionRef): Promise<number>;
  /**
   * Wraps the keys of all sessions with the current master key; older keys can be removed then. Raises `VAULT_LOCKED` for a
   * session whose key is not configured; the remaining sessions keep their wrapping until the next call.
   */
  rotate(): Promise<Rotation>;
  /**
   * Adds a type of personal data, as `patterns` of the settings do: values that match are redacted from now on, in all sessions.
   * The type is the name in upper case. Raises `PATTERN_INVALID` for look-around, backreferences and a wrong name.
   */
  addPattern(name: string, pattern: RegExp | PatternText): void;
}

/** The redactors of all sessions. */
export interface Redactors {
  /** Returns the redactor of a session, or of a user's executions without one. Set `isNew` if it has issued no placeholder. */
  of(sessionRef: { readonly user: string; readonly session?: string | undefined }, isNew?: boolean): Redactor;
  /** Forgets a value of a session. */
  forget(value: string, sessionRef: { readonly user: string; readonly session?: string | undefined }): Promise<number>;
  /** Wraps the keys of all sessions with the current master key. */
  rotate(): Promise<Rotation>;
  /** Forgets all values of a session. */
  destroy(sessionRef: { readonly user: string; readonly session: string }): Promise<void>;
}

export interface RedactorsOptions extends Omit<RedactorOptions, 'vault'> {
  /** Opens the store for values of sessions and the keys that seal them, on first use. */
  readonly open: () => { readonly store: Store; readonly keys: Keyring };
  /** The store in memory for values of executions without a session. */
  readonly memory: Store;
  /** A store that outlives this process, for the numbers of placeholders without a session. Default: they start at a random high number. */
  readonly numbers?: Store | undefined;
}

/** Sessions with a cache in this process. The least recently used one is closed, and opened again on its next use. */
const MAX_OPEN = 200;
/** Values of executions without a session live for an hour after their last use, at most a day. */
const SESSIONLESS_LIFETIME: Lifetime = { idleMs: 60 * 60 * 1_000, maxMs: 24 * 60 * 60 * 1_000 };

/** Creates the redactors of all sessions. Opens stores and vaults on first use. */
export function createRedactors({ open, memory, numbers, ...options }: RedactorsOptions): Redactors {
  const opened = new Map<string, { readonly vault: Vault; readonly redactor: Redactor }>();
  const keys = newKeyring();
  // A name that no session has, in this process or another.
  const sessionless = `none ${randomUUID()}`;

  const find = ({ user, session }: { user: string; session?: string | undefined }, isNew: boolean) => {
    const key = JSON.stringify([user, session]);
    const known = opened.get(key);
    opened.delete(key);
    // A placeholder from before a restart must not resolve to another value.
    const vault =
      known?.vault ??
      (session === undefined
        ? openVault({ ...sessionlessVault(user), user })
        : openVault({ ...open(), user, session, resumed: !isNew }));
    const entry = known ?? {
      vault,
      redactor: openRedactor({ ...options, vault, budget: createAnswerBudget({ user, open }) }),
    };
    opened.set(key, entry);
    const [oldest] = opened.keys();
    if (opened.size > MAX_OPEN && oldest !== undefined) opened.delete(oldest);
    return entry;
  };
  const sessionlessVault = (user: string) => ({
    store: memory,
    keys,
    session: sessionless,
    lifetime: SESSIONLESS_LIFETIME,
    numbers: numbers && storedNumbers(numbers, user),
    resumed: !numbers,
  });
  return {
    of: (sessionRef, isNew = false) => find(sessionRef, isNew).redactor,
    forget: (value, sessionRef) => find(sessionRef, false).vault.forget(value),
    async rotate() {
      const { store, keys } = open();
      return rotateVaults(store, keys);
    },
    async destroy(sessionRef) {
      await find(sessionRef, false).vault.destroy();
      opened.delete(JSON.stringify([sessionRef.user, sessionRef.session]));
    },
  };
}

/** Redactors that return everything unchanged. */
export const NO_REDACTORS: Redactors = {
  of: () => NO_REDACTION,
  forget: async () => 0,
  rotate: async () => ({ rewrapped: 0, current: 0 }),
  destroy: async () => undefined,
};
