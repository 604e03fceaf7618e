import type { GuestBridge, GuestOutcome } from '../bridge/protocol.ts';
import type { Program } from '../languages/language.ts';

/** The limits that a sandbox enforces from outside the guest. */
export interface SandboxLimits {
  /** Wall-clock milliseconds from the start to the end of the program. */
  readonly timeoutMs: number;
  /** Bytes of memory that the guest may use, typed arrays included. */
  readonly memoryBytes: number;
  /**
   * The share of one processor that the guest may use on average, 1 to 100 percent. Default: 100. A sandbox that cannot limit it
   * ignores it, which its documentation states.
   */
  readonly cpuPercent?: number;
  /** Bytes of one message from the guest to the host. The result of the program is such a message. */
  readonly messageBytes: number;
}

/** A guest that runs a program. */
export interface RunningGuest {
  /** Resolves when the program has read all sent answers and only waits for others. It may never resolve. */
  whenIdle(): Promise<void>;
  /**
   * Calls a function once, when another program waits for this guest. Returns the function that ends this. Absent where programs do
   * not wait for guests.
   */
  onWanted?(listener: () => void): () => void;
}

/** The time of a program stands still while it waits for a person. */
export interface Pauses {
  /** Calls a function whenever the time stops or goes on. Returns the function that ends this. */
  onChange(listener: (isPaused: boolean) => void): () => void;
}

export interface SandboxRunOptions {
  readonly bridge: GuestBridge;
  /** Times that do not count for the time limit. Default: none. */
  readonly pauses?: Pauses;
  /** Milliseconds of the time limit that the program used before it was continued. Default: 0. */
  readonly ranMs?: number;
  /** Receives the guest when it gets the program. */
  readonly onGuest?: (guest: RunningGuest) => void;
  readonly limits: SandboxLimits;
  /** Aborting kills the guest; the run then rejects with `CANCELLED`. */
  readonly signal?: AbortSignal;
  /** The owner of the program. A process never runs programs of two tenants. */
  readonly tenant?: string;
  /** The user who takes turns with others for guests. Default: the tenant. */
  readonly user?: string;
  /** Whether a program that holds a guest waits for this one. Such programs have one guest beyond the maximum. Default: false. */
  readonly isNested?: boolean;
}

/** Whether a sandbox works on this machine, and the fix if it does not. */
export interface SandboxProbe {
  readonly available: boolean;
  /** The finding, in one sentence. */
  readonly reason: string;
  /** The package to install or the setting to change, if it is not available. */
  readonly fix?: string;
}

/**
 * An engine that runs guest programs in isolation. It starts a guest, limits it and kills it. The guest reaches the host only
 * through the bridge. Every sandbox passes the suite in `@toolwright/conformance/sandbox`.
 */
export interface Sandbox extends AsyncDisposable {
  readonly name: string;
  /** The isolation between guest and host, in one sentence for people. */
  readonly isolation: string;
  /** The guest languages that it runs. */
  readonly languages: readonly Program['guest'][];
  /**
   * Runs a program in a fresh guest. Resolves to every outcome of the program, limits included. Rejects with a `SandboxError`
   * only for `CANCELLED`, `SANDBOX_LOST`, `SANDBOX_UNAVAILABLE`, `BRIDGE_PROTOCOL`, `BUSY` and `CLOSED`.
   */
  run(program: Program, options: SandboxRunOptions): Promise<GuestOutcome>;
}
