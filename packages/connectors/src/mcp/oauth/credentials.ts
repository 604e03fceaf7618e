/** The kinds of sealed records about logins. */
export type CredentialKind = 'account' | 'client' | 'challenge' | 'login' | 'tools' | 'callback';

/** The place of one record. */
export interface CredentialPlace {
  readonly kind: CredentialKind;
  /** The server with its URL; of a login, its state. */
  readonly server: string;
  /** The user; of a client, the issuer. */
  readonly name: string;
}

/**
 * The port of sealed records about logins: tokens, clients and open logins. Several processes use them at once. All methods
 * reject with `STORE_UNAVAILABLE` while the store is unreachable.
 */
export interface Credentials {
  read<Value>(place: CredentialPlace): Promise<Value | undefined>;
  /** Writes a record. With `lifetimeMs` it expires. */
  write(place: CredentialPlace, value: object, lifetimeMs?: number): Promise<void>;
  delete(place: CredentialPlace): Promise<void>;
  /** Returns a record and deletes it. Of several processes, one receives it. */
  take<Value>(place: CredentialPlace): Promise<Value | undefined>;
  /** Returns all records of a kind for a server. */
  list<Value>(kind: CredentialKind, server: string): Promise<Value[]>;
  /** Runs `work` while no other process and no other caller runs work for the same place. */
  exclusive<Value>(place: CredentialPlace, work: () => Promise<Value>): Promise<Value>;
}
