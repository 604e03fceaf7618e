import type { ObservedShape } from './shape.ts';

/** The port of the recorded types: opens those of one user. */
export type OpenUserTypes = (userId: string) => UserTypes;

/** The recorded types of one user, by the hash of a tool's definition. */
export interface UserTypes {
  /** Resolves when the types of other processes are known. Never rejects: without them, the types of this process remain. */
  ready?(): Promise<void>;
  find(hash: string): Known;
  /** Stores a changed type soon. */
  write(hash: string): void;
  /** Stores all changed types now. Never rejects. */
  flush(): void | Promise<void>;
}

export interface Known {
  shape: ObservedShape | undefined;
  /** Consecutive results without a new type. */
  unchanged: number;
}

/** Milliseconds before a new type is stored, so that several changes are stored together. */
export const WRITE_DELAY_MS = 1_000;
/** Maximum characters of the JSON of one type. A larger one is not recorded. */
export const MAX_TYPE_CHARACTERS = 32_768;
/** Maximum types of one user. A new one replaces an old one. */
export const MAX_TYPES = 1_000;
