import type { GuestBridge, GuestOutcome } from '../bridge/protocol.ts';
import type { Program } from '../languages/language.ts';

/** The limits that a sandbox itself enforces, from outside the guest. */
export interface SandboxLimits {
  /** Wall-clock milliseconds from start to end of the program. */
  readonly timeoutMs: number;
  /** Bytes of memory the guest may use, typed arrays included. */
  readonly memoryBytes: number;
  /** Bytes of one message of the guest to the host, its result included. */
  readonly messageBytes: number;
}

export interface SandboxRunOptions {
  readonly bridge: GuestBridge;
  readonly limits: SandboxLimits;
  /** Aborting kills the guest; the run then rejects with `CANCELLED`. */
  readonly signal?: AbortSignal;
  /** Whose program this is. A process that has run one tenant's program never runs another's. */
  readonly tenant?: string;
}

/** Whether a sandbox works on this machine, and what to do when it does not. */
export interface SandboxProbe {
  readonly available: boolean;
  /** What was found, in one sentence. */
  readonly reason: string;
  /** What to install or change, when it is not available. */
  readonly fix?: string;
}

/**
 * An engine that runs one guest program at a time in isolation. It knows how to start a guest, limit it and kill it;
 * all that the guest may do goes through the bridge. Every adapter passes `sandboxes/conformance.ts`.
 */
export interface Sandbox extends AsyncDisposable {
  readonly name: string;
  /** What stands between guest and host, in one sentence, for people. */
  readonly isolation: string;
  /** The guest languages it runs. */
  readonly languages: readonly Program['guest'][];
  /**
   * Runs a program in a fresh guest. Resolves for all that a guest can do, limits included; rejects with a
   * `ToolwrightError` only for `CANCELLED`, `SANDBOX_LOST`, `BRIDGE_PROTOCOL`, `BUSY` and `CLOSED`.
   */
  run(program: Program, options: SandboxRunOptions): Promise<GuestOutcome>;
}
