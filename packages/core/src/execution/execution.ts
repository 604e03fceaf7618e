import type { Redactor } from '@toolwright/pii/internal';
import type { Checker, GuestOutcome, Language, PreparedSource, Program, Sandbox } from '@toolwright/sandbox';
import type { Catalog } from '../catalog/catalog.ts';
import type { UserCatalog } from '../catalog/user-catalog.ts';
import type { Journal } from '../journal/journal.ts';
import type { Owner } from '../journal/leases/owner.ts';
import type { ProcessLease } from '../journal/leases/process-lease.ts';
import type { OpenSession, SessionStore } from '../sessions/session.ts';
import type { GuestSkills } from '../skills/guest-skills.ts';
import type { StoredSkills } from '../skills/library.ts';
import type { Policy } from '../tool-calls/policy/create-policy.ts';
import type { ToolCallRecord } from '../tool-calls/record.ts';
import type { Files } from '../workspaces/files.ts';
import type { HostBridge } from './guest-host.ts';
import type { Limits } from './limits.ts';
import type { OutputEvents } from './output-events.ts';
import type { ExecuteOptions } from './request.ts';
import type { ExecutionError, ExecutionOutcome, ExecutionStats, StopLimit } from './result.ts';

/** The parts of a Toolwright that an execution uses. */
export interface ExecutionContext {
  readonly catalog: Catalog;
  readonly sandbox: Sandbox;
  /** Why this sandbox was chosen. */
  readonly sandboxReason?: string;
  readonly sandboxWarning?: string;
  readonly language: Language;
  readonly sessions: Pick<SessionStore, 'open'>;
  /** Returns the redactor of a session, or of a user's executions without a session. */
  readonly redactorOf: (
    owner: { readonly user: string; readonly session?: string | undefined },
    isNew: boolean,
  ) => Redactor;
  /** Returns the skills of a user. */
  readonly skills: (userId: string) => StoredSkills;
  /** Finds mistakes before a program runs; absent for languages without a checker. */
  readonly checker?: Checker | undefined;
  readonly dataDir: string;
  /** This process as the owner of its executions. */
  readonly owner: Pick<Owner, 'lease'>;
  readonly policy: Policy;
  /** Seed and clock of the program; fresh ones by default. */
  readonly program?: Pick<Program, 'seed' | 'epochMs'>;
  /** Receives internal errors; the caller sees only their id. */
  readonly onDefect: (id: string, error: unknown) => void;
}

/** The options of one execution, with all limits filled in. */
export interface ExecutionSettings extends Omit<ExecuteOptions, 'language' | 'limits' | 'sandbox'> {
  readonly limits: Limits;
}

/** An open execution: everything that its steps share. */
export interface Execution {
  readonly id: string;
  readonly source: string;
  readonly context: ExecutionContext;
  readonly settings: ExecutionSettings;
  /** Seed and clock of the program. */
  readonly program: Pick<Program, 'seed' | 'epochMs'>;
  readonly session: OpenSession;
  /** The catalog of the session's user. */
  readonly catalog: UserCatalog;
  readonly redactor: Redactor;
  readonly events: OutputEvents;
  readonly skills: GuestSkills;
  /** All files that the program sees. */
  readonly files: Files;
  /** Returns the guest paths of files that the program changed. */
  readonly changedFiles: () => readonly string[];
  readonly journal: Journal;
  /** The right of this process to the execution. Check it before each effect. */
  readonly lease: ProcessLease;
  readonly host: HostBridge;
  /** Aborted when the program makes more tool calls than its limit. */
  readonly tooManyCalls: AbortSignal;
  /** `performance.now()` when the execution was opened. */
  readonly openedAt: number;
}

/** How preparing, checking and running a program ended. */
export type Ending =
  | { readonly outcome: GuestOutcome }
  | { readonly stopped: StopLimit }
  | { readonly error: unknown }
  /** The check found a mistake; the program did not run. */
  | { readonly problem: ExecutionError };

/** A program that was prepared, checked and run, as far as it came. */
export interface Attempt {
  readonly ending: Ending;
  /** Absent for a program that could not be prepared. */
  readonly prepared: PreparedSource | undefined;
  readonly stats: Pick<ExecutionStats, 'check' | 'prepareMs' | 'checkMs' | 'runMs'>;
}

/** The redacted end of an execution, for its caller and the log of its session. */
export interface Settled {
  readonly outcome: ExecutionOutcome;
  readonly logs: ExecutionLogs;
  readonly calls: readonly ToolCallRecord[];
  readonly code: string;
  /** Guest paths of changed files. */
  readonly files: readonly string[];
}

type ExecutionLogs = Awaited<ReturnType<OutputEvents['end']>>;
