import type { GuestOutcome } from '@toolwright/sandbox';

/** A request of the program with its recorded answer, as the exported file has it. */
export interface ExportedRequest {
  /** Id of the request. It gives the order in which the program made them. */
  readonly id: number;
  /** The operation and its parameters. */
  readonly request: readonly unknown[];
  readonly ok: boolean;
  /** The value, or the fault. */
  readonly answer: unknown;
}

/** Everything that an exported file is made of. */
export interface ExportedTest {
  readonly executionId: string;
  /** The program as a module with a function `main`. */
  readonly module: string;
  /** The requests, except those for modules, in the order of their answers. */
  readonly requests: readonly ExportedRequest[];
  /** The sources of the imported modules, by path. */
  readonly modules: ReadonlyMap<string, string>;
  readonly outcome: Exclude<GuestOutcome, { status: 'stopped' }>;
  /** Whether the message of a failed outcome is the same in any engine. */
  readonly hasOwnMessage: boolean;
  /** Present if the program reads the time: the time of the test, in milliseconds since the epoch. */
  readonly timeMs?: number;
}
