import { join } from 'node:path';
import type { DataFolder } from '../journal/data-folder.ts';
import { type Quota, type SharedWorkspace, shareWorkspace } from '../workspaces/shared-state.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../workspaces/workspace.ts';
import type { Session } from './session.ts';

/** The workspaces of a data folder. */
export interface SessionWorkspaces {
  /** Returns `/workspace` of a session, or of its customer. */
  ofSession(session: Session, quota: Quota): Workspace;
  /** Returns `/workspace` of one execution without a session. */
  ofExecution(id: string, quota: Quota): Workspace;
}

/** Opens workspaces below a data folder. */
export function createSessionWorkspaces(folders: DataFolder): SessionWorkspaces {
  const open = createOpener();
  return {
    ofSession({ id, customer }, quota) {
      // The folder of a removed session must not be created again.
      if (customer === undefined) return open({ ...quota, root: join(folders.session(id), 'workspace') }, false);
      return open({ ...quota, root: folders.customerWorkspace(customer) }, true);
    },
    // It belongs to one execution and ends with it, so it need not survive a power cut.
    ofExecution: (id, quota) => openWorkspace({ ...quota, root: join(folders.executions, `${id}.files`) }),
  };
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
