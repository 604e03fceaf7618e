import type { Lazy } from '@toolwright/sandbox/internal';
import type { Files } from '../workspaces/files.ts';
import type { DiskSpace, Quota } from '../workspaces/shared-state.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import type { KeptStore } from './kept/kept.ts';
import type { SessionEntry } from './log.ts';

/** A session: files and a log that stay from execution to execution. It belongs to one user. */
export interface Session {
  /** Id that continues the session. A generated id has 26 lower-case letters and digits, with 130 random bits. */
  readonly id: string;
  readonly userId: string;
  /** Customer whose sessions share one `/workspace`. Default: none, and the session has its own. */
  readonly customer?: string | undefined;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Start or end of its last execution, or the last time that its files were opened. ISO 8601, UTC. */
  readonly lastUsedAt: string;
}

/** The owner of sessions. */
export interface SessionOwner {
  /** Default: `local`. */
  readonly userId?: string | undefined;
}

/** A page of a list of sessions. */
export interface SessionPage {
  /** The most sessions. Default: all. */
  readonly limit?: number | undefined;
  /** Id of the last session of the previous page. Default: none, for the first page. An unknown id gives an empty page. */
  readonly before?: string | undefined;
}

/**
 * The sessions of a data folder. Each belongs to one user; for other users, its id is unknown. All methods but `create` and
 * `list` raise `UNKNOWN_SESSION` for an id that is missing, malformed or another user's, with the same message.
 */
export interface Sessions {
  /** Creates a session with a random id. With `customer`, all sessions of that customer share one `/workspace`. */
  create(options?: SessionOwner & { readonly customer?: string | undefined }): Promise<Session>;
  /** With `create`, a missing session is created: only for ids that the embedding program chose, never for an id from outside. */
  get(id: string, owner?: SessionOwner & { readonly create?: boolean | undefined }): Promise<Session>;
  /** Returns the user's sessions, last used first: all of them, or one page. */
  list(options?: SessionOwner & SessionPage): Promise<readonly Session[]>;
  /** Returns the executions of a session, oldest first; the newest 1,000 at most. */
  log(id: string, owner?: SessionOwner): Promise<readonly SessionEntry[]>;
  /** Returns the files of a session by guest path: `/workspace`, and `/session` for reading. The quota is the Toolwright's. */
  files(id: string, owner?: SessionOwner): Promise<Files>;
  /** Deletes a session with its files and its log; running executions lose them. A customer's files stay. */
  remove(id: string, owner?: SessionOwner): Promise<void>;
}

/** The session that an execution continues. */
export interface SessionRequest {
  readonly userId?: string | undefined;
  /** Default: none. */
  readonly sessionId?: string | undefined;
  /** Creates a missing session of that id. */
  readonly createSession?: boolean | undefined;
  /** Whether the files of the session are only read. Default: false. */
  readonly isReadOnly?: boolean | undefined;
  /** Whether another process may have begun the execution. Default: false. */
  readonly isContinued?: boolean | undefined;
}

/** The changes of files that an execution made before it was continued, where several machines share sessions. */
export interface PastFileChanges {
  /** Returns whether the change of a request is in the workspace. One that its process did not commit is not. */
  isApplied(request: number): Promise<boolean>;
}

/** A workspace that one execution uses until its end. */
export interface WorkspaceUse {
  /** `/workspace` of the session; without a session, of the execution alone. */
  readonly workspace: Lazy<Workspace>;
  /** Absent where all changes of files are in the workspace at once. */
  readonly pastChanges?: PastFileChanges | undefined;
  /**
   * Ends the use of the workspace. Resolves when all processes see its changes. Raises `WORKSPACE_LOST` and `STORE_UNAVAILABLE`: the
   * changes are discarded then.
   */
  end(): Promise<void>;
  /** Ends the use of the workspace. Its changes since the last commit are discarded where several machines share sessions. */
  discard(): Promise<void>;
}

/** The part of a session, or of none, that one execution uses. */
export interface OpenSession extends WorkspaceUse {
  /** Returns the workspace, and `/session` of a session. */
  readonly mounts: () => Readonly<Record<string, Files>>;
  readonly userId: string;
  /** The space of the user on disk. Absent where it has no limit. */
  readonly space?: DiskSpace | undefined;
  /** The values that the session keeps. Absent without a session. */
  readonly kept?: KeptStore | undefined;
  /** Whether no execution has ended in this session yet. */
  readonly isNew: boolean;
  /** Adds an execution to the log of the session; without a session, nothing happens. */
  record(entry: SessionEntry): Promise<void>;
}

/** The sessions of a data folder, for the host. */
export interface SessionStore {
  readonly sessions: Sessions;
  /**
   * Opens the session of an execution. Raises `UNKNOWN_SESSION`, `CONFIG_INVALID` for a malformed id that is to be created, and
   * `QUOTA_EXCEEDED` when the user has no space left on disk.
   */
  open(request: SessionRequest, executionId: string, quota: Quota): Promise<OpenSession>;
  /** Returns the kept values of the session of an execution; undefined without one. */
  kept(execution: SessionOfUser): Promise<KeptStore | undefined>;
  /** Returns the space of a user on disk; undefined without a limit. */
  spaceFor(userId: string): DiskSpace | undefined;
  /** Returns whether no execution has ended in a session yet. */
  isNew(id: string): Promise<boolean>;
  /** Returns the text of a stored result; undefined for one that was removed or is larger than `maxBytes`. */
  result(execution: ExecutionOfSession, maxBytes: number): Promise<string | undefined>;
  /** Returns an image or another stored file of an execution, by its path for programs. Undefined as for `result`. */
  stored(path: string, execution: ExecutionOfSession, maxBytes: number): Promise<Buffer | undefined>;
  /** Removes the files of an execution from places that other machines see. Returns the bytes that are free now. */
  removeExecution(id: string): Promise<number>;
  /** Removes expired sessions, except those in `kept`. Returns their number. */
  purge(
    olderThanMs: number,
    options: { readonly kept: ReadonlySet<string>; readonly signal: AbortSignal },
  ): Promise<number>;
  /** Returns whether any user has a session. */
  has(id: string): Promise<boolean>;
  close(): Promise<void>;
}

/** A session, if there is one, and its user. */
export interface SessionOfUser {
  readonly sessionId?: string | undefined;
  readonly userId: string;
}

/** An execution, and its session if it has one. */
export interface ExecutionOfSession extends SessionOfUser {
  readonly id: string;
}
