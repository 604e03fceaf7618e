import { randomUUID } from 'node:crypto';
import { type Keyring, newKeyring } from '../vault/master-key.ts';
import { type Rotation, rotateVaults } from '../vault/rotation.ts';
import type { Lifetime, Store } from '../vault/store.ts';
import { openVault, type Vault } from '../vault/vault.ts';
import type { RedactStream } from './redact-stream.ts';
import { NO_REDACTION, openRedactor, type Redactor, type RedactorOptions } from './redactor.ts';
import type { RestoreStream } from './restore-stream.ts';

/** Whose values are meant. */
export interface SessionRef {
  /** `local` by default. */
  readonly user?: string | undefined;
  /** A session; without it, the values of the user's executions that had none. */
  readonly session?: string | undefined;
}

/** What the embedding program does with personal data. */
export interface PersonalData {
  /**
   * Makes text or JSON safe for a model: values become placeholders of the session. With `detect: false` only values that
   * the session knows already do, as in texts that are not its own.
   */
  redact<T>(value: T, sessionRef?: SessionRef & { readonly detect?: boolean }): Promise<T>;
  /**
   * Puts values in the place of placeholders, for the eyes of the user and never for a model. The policy decides as if
   * `reader` (default `user`) were a tool, and it is audited. Raises `UNKNOWN_PLACEHOLDER` and `PII_DENIED`.
   */
  restore<T>(value: T, sessionRef?: SessionRef & { readonly reader?: string }): Promise<T>;
  /** As {@link redact}, of a text that comes in pieces: the same comes out wherever it is cut. */
  redactStream(sessionRef?: SessionRef): Promise<RedactStream>;
  /** As {@link restore}, of a text that comes in pieces, such as the answer of a model on its way to the user. */
  restoreStream(sessionRef?: SessionRef & { readonly reader?: string }): Promise<RestoreStream>;
  /** Forgets a value, told in any spelling or by its placeholder: resolves to how many placeholders no longer resolve. */
  forget(value: string, sessionRef?: SessionRef): Promise<number>;
  /**
   * Wraps the keys of all sessions with the current master key; the older one can be removed then. Raises `VAULT_LOCKED`
   * where a session needs a key that is not configured, and leaves the rest for the next time.
   */
  rotate(): Promise<Rotation>;
}

/** Gives each session its guard. */
export interface Redactors {
  /** The guard of a session, or of a user's executions without one. `isNew` says that it has never issued a placeholder. */
  of(sessionRef: { readonly user: string; readonly session?: string | undefined }, isNew?: boolean): Redactor;
  /** Forgets a value of a session. */
  forget(value: string, sessionRef: { readonly user: string; readonly session?: string | undefined }): Promise<number>;
  /** Wraps the keys of all sessions with the current master key. */
  rotate(): Promise<Rotation>;
  /** Forgets all values of a session. */
  destroy(sessionRef: { readonly user: string; readonly session: string }): Promise<void>;
}

export interface RedactorsOptions extends Omit<RedactorOptions, 'vault'> {
  /** Where values of sessions are kept, and the keys that they are sealed with; opened when they are first needed. */
  readonly open: () => { readonly store: Store; readonly keys: Keyring };
  /** Where values of executions without a session are kept: in memory. */
  readonly memory: Store;
}

/** Sessions whose values a process keeps in memory at once; those that were not used for longest are opened again. */
const MAX_OPEN = 200;
/** Values of executions without a session live in memory, for an hour after their last use and a day at most. */
const SESSIONLESS_LIFETIME: Lifetime = { idleMs: 60 * 60 * 1_000, maxMs: 24 * 60 * 60 * 1_000 };

/** The guards of a Toolwright. Nothing is opened before it is needed. */
export function createRedactors({ open, memory, ...options }: RedactorsOptions): Redactors {
  const opened = new Map<string, { readonly vault: Vault; readonly redactor: Redactor }>();
  const keys = newKeyring();
  // No session of this name exists, and none that another process had before.
  const sessionless = `none ${randomUUID()}`;

  const find = ({ user, session }: { user: string; session?: string | undefined }, isNew: boolean) => {
    const key = JSON.stringify([user, session]);
    const known = opened.get(key);
    opened.delete(key);
    // Numbers without a session start far away: a placeholder from before a restart must not become another value.
    const vault =
      known?.vault ??
      (session === undefined
        ? openVault({ store: memory, keys, user, session: sessionless, resumed: true, lifetime: SESSIONLESS_LIFETIME })
        : openVault({ ...open(), user, session, resumed: !isNew }));
    const entry = known ?? { vault, redactor: openRedactor({ ...options, vault }) };
    opened.set(key, entry);
    const [oldest] = opened.keys();
    if (opened.size > MAX_OPEN && oldest !== undefined) opened.delete(oldest);
    return entry;
  };
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

/** Guards that leave everything as it is. */
export const NO_REDACTORS: Redactors = {
  of: () => NO_REDACTION,
  forget: async () => 0,
  rotate: async () => ({ rewrapped: 0, current: 0 }),
  destroy: async () => undefined,
};
