import { join } from 'node:path';
import { lazy } from '@toolwright/sandbox/internal';
import { type DataFolder, folderName, isSessionId } from '@toolwright/storage/internal';
import { readOnly, readOnlyBulk } from '../workspaces/mounts.ts';
import { isMissing } from '../workspaces/paths.ts';
import { spaceOf } from '../workspaces/shared-state.ts';
import { committedFiles, usedWorkspace } from '../workspaces/versioned/files.ts';
import type { FolderUse, FolderUseOptions } from '../workspaces/versioned/folder-use.ts';
import type { FolderPlace, VersionedFolders } from '../workspaces/versioned/folders.ts';
import { openWorkspace, type Workspace } from '../workspaces/workspace.ts';
import type { Session, WorkspaceUse } from './session.ts';
import { createOpener, KEPT_QUOTA, openWithSpace, type SessionWorkspaces } from './workspaces.ts';

const EXECUTION = 'execution/';
const READ_ONLY = 'the program of this check or dry run does not change the files of the session.';

/** Returns the name of the folder of a session, or of its customer, for all machines. */
export function workspaceName({ id, customer }: Session): string {
  return customer === undefined ? `session/${id}` : `customer/${folderName('customer', customer)}`;
}

/** Returns the name of the folder of the kept values of a session. */
function keptName(id: string): string {
  return `kept/${id}`;
}

/** Returns the name of the folder of an execution without a session. */
export function executionFolderName(id: string): string {
  return `${EXECUTION}${id}`;
}

/** Opens workspaces that the machines of a cluster share. Large results of executions without a session are next to their journals. */
export function createVersionedWorkspaces(folders: VersionedFolders, { executions }: DataFolder): SessionWorkspaces {
  const open = createOpener();
  const placeOf = (session: Session) => folders.place(workspaceName(session), 'workspace');
  // The copy need not survive a power cut: its versions do.
  const ofPlace = ({ root }: FolderPlace, options: Omit<Parameters<typeof open>[0], 'root'>) =>
    open({ ...options, root, durable: false }, true);
  const executionPlace = (id: string): FolderPlace => ({
    name: executionFolderName(id),
    root: join(executions, `${id}.files`),
  });
  const removed = async (name: string) => spaceOf(await folders.rows.remove(name));
  return {
    ofSession(session, { executionId, quota, space, isReadOnly = false }) {
      const place = placeOf(session);
      // Programs of one session run one after the other. Those of many sessions of a customer wait only for changes.
      const right = isReadOnly || session.customer !== undefined ? 'change' : 'first';
      const use = folders.use(place, { right, execution: executionId });
      const workspace = usedWorkspace(ofPlace(place, { ...quota, space }), use);
      if (!isReadOnly) return useOf(workspace, use);
      const bulk = readOnlyBulk(workspace.bulk, READ_ONLY);
      const { root, destroy, keep } = workspace;
      return useOf({ ...readOnly(workspace, READ_ONLY), bulk, root, destroy, keep }, use);
    },
    ofExecution({ executionId, quota, space, isContinued = false }) {
      const place = executionPlace(executionId);
      const options: FolderUseOptions = { right: 'end', execution: executionId, maxAgeMs: Number.POSITIVE_INFINITY };
      const use = folders.use(place, { ...options, isNew: !isContinued });
      const workspace = openWithSpace(space, (own) =>
        usedWorkspace(openWorkspace({ ...quota, space: own, root: place.root }), use),
      );
      if (!isContinued) return useOf(workspace, use);
      const destroy = async () => {
        await workspace.destroy();
        await removed(place.name);
      };
      return useOf({ ...workspace, destroy }, use);
    },
    files(session, quota, space) {
      const place = placeOf(session);
      const begin = () => folders.use(place, { right: 'change' });
      return committedFiles(folders.files(place.name), ofPlace(place, { ...quota, space }), begin);
    },
    kept({ id }, space) {
      const place = folders.place(keptName(id), 'kept');
      const begin = () => folders.use(place, { right: 'change' });
      return committedFiles(folders.files(place.name), ofPlace(place, { ...KEPT_QUOTA, space }), begin);
    },
    async stored(path, { execution, session }, maxBytes) {
      const names = [executionFolderName(execution), ...(session ? [workspaceName(session)] : [])];
      for (const name of names) {
        const read = folders.files(name).read(path, maxBytes);
        const bytes = await read.catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
        if (bytes) return bytes;
      }
      return undefined;
    },
    async measure(sessions) {
      const kept = sessions.map(({ id }) => keptName(id));
      return spaceOf(await folders.rows.sizeOf([...new Set([...sessions.map(workspaceName), ...kept])]));
    },
    removeSession: async (id) => (await removed(`session/${id}`)) + (await removed(keptName(id))),
    removeExecution: (id) => removed(executionFolderName(id)),
    async purgeExecutions(ageMs) {
      for await (const names of folders.rows.listExpired(ageMs)) {
        for (const name of names) if (isSessionId(name.slice(EXECUTION.length))) await folders.rows.remove(name);
      }
    },
  };
}

function useOf(workspace: Workspace, use: FolderUse): WorkspaceUse {
  return {
    workspace: lazy(() => workspace),
    end: use.end,
    discard: use.discard,
    pastChanges: { isApplied: use.isApplied },
  };
}
