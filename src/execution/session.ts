import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import { openWorkspace, type Workspace, type WorkspaceOptions, type WorkspaceUse } from '../workspaces/workspace.ts';

const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** The sessions of one data folder: each has its own files, which stay from execution to execution. */
export interface Sessions {
  /** The workspace of a session, or of one execution alone when no session is named. */
  workspace(session: string | undefined, execution: string, quota: Omit<WorkspaceOptions, 'root' | 'use'>): Workspace;
}

/** Keeps sessions under `<dataDir>/sessions` and single executions' files under `<dataDir>/executions`. */
export function createSessions(dataDir: string): Sessions {
  const uses = new Map<string, WorkspaceUse>();
  return {
    workspace(session, execution, quota) {
      if (session === undefined)
        return openWorkspace({ ...quota, root: join(dataDir, 'executions', `${execution}.files`) });
      if (!SESSION_ID.test(session)) {
        const message = 'A session id has 1 to 64 letters, digits, "-" and "_".';
        throw new ToolwrightError('CONFIG_INVALID', message);
      }
      const use = uses.get(session) ?? {};
      uses.set(session, use);
      return openWorkspace({ ...quota, root: join(dataDir, 'sessions', session), use });
    },
  };
}
