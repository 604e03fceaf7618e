import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { lazy } from '@toolwright/sandbox/internal';
import type { DataFolder } from '@toolwright/storage/internal';
import type { Files } from '../workspaces/files.ts';
import {
  type DiskSpace,
  type Quota,
  type SharedWorkspace,
  shareWorkspace,
  spaceOf,
} from '../workspaces/shared-state.ts';
import { measure } from '../workspaces/tree.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../workspaces/workspace.ts';
import { MAX_KEPT_BYTES } from './kept/kept.ts';
import type { Session, WorkspaceUse } from './session.ts';

/** The space of a workspace. */
interface WorkspaceSpace {
  readonly quota: Quota;
  readonly space?: DiskSpace | undefined;
}

/** How a workspace is opened. */
export interface WorkspaceRequest extends WorkspaceSpace {
  readonly executionId: string;
  /** Whether the workspace is only read. Default: false. */
  readonly isReadOnly?: boolean | undefined;
  /** Whether another process may have begun the execution. Default: false. */
  readonly isContinued?: boolean | undefined;
}

/** The execution of a stored result, and its session if it has one. */
export interface StoredPlace {
  readonly execution: string;
  readonly session: Session | undefined;
}

/** The workspaces of sessions, customers and executions. */
export interface SessionWorkspaces {
  /** Opens `/workspace` of a session, or of its customer, for an execution. */
  ofSession(session: Session, request: WorkspaceRequest): WorkspaceUse;
  /** Opens `/workspace` of one execution without a session. */
  ofExecution(request: WorkspaceRequest): WorkspaceUse;
  /** Returns `/workspace` of a session for its user. Each change is complete when it resolves. */
  files(session: Session, quota: Quota, space?: DiskSpace): Files;
  /** Returns the folder of the kept values of a session. Each change is complete when it resolves. */
  kept(session: Session, space?: DiskSpace): Files;
  /** Returns a stored result of an execution, by its path in the workspace; undefined if there is none. */
  stored(path: string, place: StoredPlace, maxBytes: number): Promise<Buffer | undefined>;
  /** Returns the bytes on disk of the workspaces of sessions, and of their customers once. */
  measure(sessions: readonly Session[]): Promise<number>;
  /** Removes the workspace of a session where it is not a part of its folder. Returns the bytes that are free now. */
  removeSession(id: string): Promise<number>;
  /** The same for an execution. */
  removeExecution(id: string): Promise<number>;
  /** Removes the workspaces of executions that nobody changed for a time, except those of unfinished ones. */
  purgeExecutions(ageMs: number): Promise<void>;
}

/** Contents, and the index with its next version. */
export const KEPT_QUOTA: Quota = { workspaceBytes: 2 * MAX_KEPT_BYTES, workspaceFiles: 10_000 };

/** Opens workspaces below a data folder. A change is complete at once, so that nothing has to be committed. */
export function createSessionWorkspaces(folders: DataFolder): SessionWorkspaces {
  const open = createOpener();
  const ofSession = ({ id, customer }: Session, { quota, space }: WorkspaceSpace) => {
    // The folder of a removed session must not be created again.
    if (customer === undefined) return open({ ...quota, space, root: join(folders.session(id), 'workspace') }, false);
    return open({ ...quota, space, root: folders.customerWorkspace(customer) }, true);
  };
  return {
    ofSession: (session, request) => withoutCommit(() => ofSession(session, request)),
    // It belongs to one execution and ends with it, so it need not survive a power cut.
    ofExecution: ({ executionId, quota, space }) =>
      withoutCommit(() =>
        openWithSpace(space, (own) =>
          openWorkspace({ ...quota, space: own, root: join(folders.executions, `${executionId}.files`) }),
        ),
      ),
    files: (session, quota, space) => ofSession(session, { quota, space }),
    kept: ({ id }, space) => open({ ...KEPT_QUOTA, space, root: join(folders.session(id), 'kept') }, false),
    async stored(path, { execution, session }, maxBytes) {
      const { customer } = session ?? {};
      const roots = [
        join(folders.executions, `${execution}.files`),
        ...(session === undefined ? [] : [join(folders.session(session.id), 'workspace')]),
        ...(customer === undefined ? [] : [folders.customerWorkspace(customer)]),
      ];
      for (const root of roots) {
        const bytes = await readInside(folders, join(root, path.slice('/workspace/'.length)), maxBytes);
        if (bytes !== undefined) return bytes;
      }
      return undefined;
    },
    async measure(sessions) {
      const customers = new Set(sessions.flatMap(({ customer }) => (customer === undefined ? [] : [customer])));
      const paths = [
        ...sessions.map(({ id }) => folders.session(id)),
        ...[...customers].map(folders.customerWorkspace),
      ];
      let bytes = 0;
      for (const path of paths) bytes += spaceOf(await measure(dirname(path), basename(path)));
      return bytes;
    },
    removeSession: async () => 0,
    removeExecution: async () => 0,
    purgeExecutions: async () => undefined,
  };
}

function withoutCommit(open: () => Workspace): WorkspaceUse {
  return { workspace: lazy(open), end: async () => undefined, discard: async () => undefined };
}

/** Opens a workspace that returns its space when it is destroyed. */
export function openWithSpace(space: DiskSpace | undefined, open: (space?: DiskSpace) => Workspace): Workspace {
  if (!space) return open();
  let taken = 0;
  const add = (bytes: number) => {
    taken += bytes;
    space.add(bytes);
  };
  const workspace = open({
    add,
    async take(bytes) {
      await space.take(bytes);
      taken += bytes;
    },
  });
  return { ...workspace, destroy: () => workspace.destroy().then(() => add(-taken)) };
}

/** Returns a function that opens workspaces. Those of one folder share their state as long as one of them is open. */
export function createOpener(): (options: WorkspaceOptions, makeParents: boolean) => Workspace {
  const uses = new Map<string, WeakRef<SharedWorkspace>>();
  const forgotten = new FinalizationRegistry<string>((root) => {
    if (uses.get(root)?.deref() === undefined) uses.delete(root);
  });
  return (options, makeParents) => {
    let use = uses.get(options.root)?.deref();
    if (use === undefined) {
      use = shareWorkspace(options.root, { makeParents });
      uses.set(options.root, new WeakRef(use));
      forgotten.register(use, options.root);
    }
    return openWorkspace({ durable: true, ...options, shared: use });
  };
}

/** Returns a file below the data folder; undefined if there is none. Follows no link out of the folder. */
async function readInside({ executions }: DataFolder, path: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    const [root, parent] = await Promise.all([realpath(dirname(executions)), realpath(dirname(path))]);
    if (!parent.startsWith(`${root}${sep}`)) return undefined;
    await using file = await open(
      join(parent, basename(path)),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    const stats = await file.stat();
    return stats.isFile() && stats.size <= maxBytes ? await file.readFile() : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
