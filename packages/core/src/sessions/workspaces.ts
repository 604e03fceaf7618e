import { join } from 'node:path';
import type { DataFolder } from '../journal/data-folder.ts';
import type { DiskSpace } from '../workspaces/disk-space.ts';
import { type Quota, type SharedWorkspace, shareWorkspace } from '../workspaces/shared-state.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../workspaces/workspace.ts';
import type { Session } from './session.ts';

/** The workspaces of a data folder. */
export interface SessionWorkspaces {
  /** Returns `/workspace` of a session, or of its customer. */
  ofSession(session: Session, quota: Quota, space?: DiskSpace): Workspace;
  /** Returns `/workspace` of one execution without a session. */
  ofExecution(id: string, quota: Quota, space?: DiskSpace): Workspace;
}

/** Opens workspaces below a data folder. */
export function createSessionWorkspaces(folders: DataFolder): SessionWorkspaces {
  const open = createOpener();
  return {
    ofSession({ id, customer }, quota, space) {
      // The folder of a removed session must not be created again.
      if (customer === undefined) return open({ ...quota, space, root: join(folders.session(id), 'workspace') }, false);
      return open({ ...quota, space, root: folders.customerWorkspace(customer) }, true);
    },
    // It belongs to one execution and ends with it, so it need not survive a power cut.
    ofExecution: (id, quota, space) =>
      openWithSpace(space, (own) =>
        openWorkspace({ ...quota, space: own, root: join(folders.executions, `${id}.files`) }),
      ),
  };
}

/** Opens a workspace that returns its space when it is destroyed. */
function openWithSpace(space: DiskSpace | undefined, open: (space?: DiskSpace) => Workspace): Workspace {
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

/** Workspaces of one folder share their state as long as one of them is open. */
function createOpener(): (options: WorkspaceOptions, makeParents: boolean) => Workspace {
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
    return openWorkspace({ ...options, shared: use, durable: true });
  };
}
