import type { ProgramValues, Redactor } from '@toolwright/pii/internal';
import type {
  Checker,
  GuestOutcome,
  Language,
  PreparedSource,
  Program,
  ProgramNames,
  Sandbox,
} from '@toolwright/sandbox';
import type { Lazy } from '@toolwright/sandbox/internal';
import type { Catalog } from '../catalog/catalog.ts';
import type { UserCatalog } from '../catalog/user-catalog.ts';
import type { SessionMarks } from '../config/policy/origins/session-marks.ts';
import type { Limits } from '../config/sections/limits.ts';
import type { WaitSettings } from '../config/sections/waits.ts';
import type { ExecutionWatch } from '../history/listing/watch.ts';
import type {
  EndedOutcome,
  ExecutionError,
  ExecutionOutcome,
  MediaFile,
  PlannedCall,
  StepStats,
  StopLimit,
} from '../history/result.ts';
import type {
  ExecutionClaim,
  ExecutionLease,
  ExecutionStorage,
  SuspendedExecution,
} from '../history/storages/storage.ts';
import type { ToolCallRecord } from '../journal/call-record.ts';
import type { SuspendEntry } from '../journal/entries.ts';
import type { Journal } from '../journal/journal.ts';
import type { Recording } from '../journal/recording/recording.ts';
import type { OpenSession, SessionStore } from '../sessions/session.ts';
import type { GuestSkills } from '../skills/guest-skills.ts';
import type { StoredSkills } from '../skills/library.ts';
import type { NamedTools, StartLogin } from '../tool-calls/call.ts';
import type { Policy } from '../tool-calls/policy/create-policy.ts';
import type { DryRunList } from './dry-run/list.ts';
import type { ForkPoint } from './fork/point.ts';
import type { HostBridge, HostFiles } from './guest/guest-host.ts';
import type { ProgramOrigins } from './guest/noted-reads.ts';
import type { Trace } from './guest/trace.ts';
import type { KeptValues } from './kept/kept-values.ts';
import type { LastingDecisions } from './lasting-decisions/lasting-decisions.ts';
import type { OutputEvents } from './outcome/output-events.ts';
import type { Packages } from './packages/packages.ts';
import type { Sampling } from './questions/input-sources.ts';
import type { Suspension } from './questions/suspension.ts';
import type { ExecuteOptions } from './request.ts';

/** The tools that a program and its modules name in their text. Data that the program receives adds none. */
export interface ToolNames extends NamedTools {
  /** Adds the names of the program, or of a module of it. */
  add(names: ProgramNames | Promise<ProgramNames>): void;
}

/** The parts of a Toolwright that all executions share. */
export interface Host {
  readonly catalog: Catalog;
  readonly sessions: SessionStore;
  /** Returns the redactor of a session, or of a user's executions without a session. */
  readonly redactorOf: (
    owner: { readonly user: string; readonly session?: string | undefined },
    isNew: boolean,
  ) => Redactor;
  /** Returns the skills of a user. */
  readonly skills: (userId: string) => StoredSkills;
  readonly dataDir: string;
  /** Absolute folder on the host for copies of shown files. */
  readonly outputFolder?: string | undefined;
  /** The packages that programs can import. */
  readonly packages: Packages;
  /** The durable state of executions. */
  readonly storage: ExecutionStorage;
  readonly waits: WaitSettings;
  /** Default: no model answers servers. */
  readonly sampling?: Sampling | undefined;
  /** Receives the changes of executions. */
  readonly watch?: ExecutionWatch | undefined;
  /** Receives each execution that is suspended. */
  readonly suspended: (execution: SuspendedExecution) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly policy: Policy;
  /** Marks of the data that the authors of programs have seen. Absent where the policy does not depend on it. */
  readonly marks?: SessionMarks | undefined;
  /** The approvals of persons that last. Default: none. */
  readonly lasting?: LastingDecisions | undefined;
  /** Starts a login of a user to a server. */
  readonly startLogin?: StartLogin | undefined;
  /** Receives internal errors; the caller sees only their id. */
  readonly onDefect: (id: string, error: unknown, executionId?: string) => void;
  /** Whether log lines that others write during an execution have its id. Before Node 24, this costs a fifth of a tool call. */
  readonly hasLogIds: boolean;
}

/** The parts of a Toolwright that an execution uses. */
export interface ExecutionContext extends Host {
  readonly sandbox: Sandbox;
  /** Why this sandbox was chosen. */
  readonly sandboxReason?: string;
  readonly sandboxWarning?: string;
  readonly language: Language;
  /** Finds mistakes before a program runs; absent for languages without a checker. */
  readonly checker?: Checker | undefined;
  /** Seed and clock of the program; fresh ones by default. */
  readonly program?: { readonly seed: number; readonly epochMs: number };
}

/** The options of one execution, with all limits filled in. */
export interface ExecutionSettings extends Omit<ExecuteOptions, 'language' | 'limits' | 'sandbox'> {
  readonly limits: Limits;
  /** The part of another execution that this one repeats. Present for a fork that starts. */
  readonly fork?: ForkPoint;
}

/** An execution that was suspended or interrupted, and the exclusive right to continue it. */
export interface Earlier {
  readonly recording: Recording;
  readonly claim: ExecutionClaim;
  /** Whether a server continues it by itself. */
  readonly isAutomatic: boolean;
}

/** An execution whose session is open. Its further parts are made of these. */
export interface OpenedExecution {
  readonly id: string;
  readonly source: string;
  readonly context: ExecutionContext;
  readonly settings: ExecutionSettings;
  /** Present for an execution that is continued. */
  readonly earlier: Earlier | undefined;
  readonly session: OpenSession;
  /** The catalog of the session's user. */
  readonly catalog: UserCatalog;
  readonly redactor: Redactor;
}

/** The files of one execution, and everything that reads or changes them. */
export interface GuestFiles extends HostFiles {
  /** Returns the guest paths of files that the program changed. */
  readonly changedFiles: () => readonly string[];
  /** Records a file that the program changed before it was continued. */
  readonly noteChange: (path: string) => void;
  readonly skills: GuestSkills;
}

/** An open execution: everything that its steps share. */
export interface Execution extends OpenedExecution {
  /** Seed and clock of the program. */
  readonly program: Omit<Program, 'guest' | 'code'>;
  /** The values behind the placeholders that the program received. */
  readonly values: ProgramValues;
  /** The tools that the program and its modules name. */
  readonly names: ToolNames;
  /** Everything that the program sent and received. */
  readonly trace: Trace;
  /** The check of calls that may have an effect. */
  readonly effects: { begin(execution: Execution, prepared: PreparedSource): void };
  readonly events: OutputEvents;
  readonly guestFiles: Lazy<GuestFiles>;
  readonly journal: Journal;
  /** The right of this process to the execution. Check it before each effect. */
  readonly lease: ExecutionLease;
  readonly host: HostBridge;
  /** Present where the policy depends on the origins of arguments. */
  readonly origins: ProgramOrigins | undefined;
  /** The values that the session keeps. */
  readonly kept: KeptValues;
  readonly suspension: Suspension;
  /** Aborted when the program makes more tool calls than its limit. */
  readonly tooManyCalls: AbortSignal;
  /** The calls of a dry run. */
  readonly dryRun: DryRunList | undefined;
  /** Aborted with the error of a call that is not on the approved list. */
  readonly strayed: AbortSignal;
  /** `performance.now()` when the execution was opened. */
  readonly openedAt: number;
}

/** How preparing, checking and running a program ended. */
export type ProgramEnd =
  | { readonly outcome: GuestOutcome }
  | { readonly stopped: StopLimit }
  | { readonly error: unknown }
  /** The check found a mistake; the program did not run. */
  | { readonly problem: ExecutionError };

/** How a program ended, or why it waits. */
export type Ending = ProgramEnd | { readonly suspended: SuspendEntry };

/** A program that was prepared, checked and run, as far as it came. */
export interface Attempt<End extends Ending = ProgramEnd> {
  readonly ending: End;
  /** Absent for a program that could not be prepared. */
  readonly prepared: PreparedSource | undefined;
  readonly stats: StepStats;
}

/** The redacted end of an execution, for its caller and the log of its session. */
export interface Settled<Outcome extends ExecutionOutcome = EndedOutcome> {
  readonly outcome: Outcome;
  readonly logs: ExecutionLogs;
  readonly calls: readonly ToolCallRecord[];
  /** The program; empty without a log of its session. */
  readonly code: string;
  /** Guest paths of changed files. */
  readonly files: readonly string[];
  /** Images and recordings that the program returned or showed. */
  readonly media: readonly MediaFile[];
  /** The calls of a dry run. */
  readonly planned: readonly PlannedCall[];
}

type ExecutionLogs = Awaited<ReturnType<OutputEvents['end']>>;
