import { lazy } from '@toolwright/sandbox/internal';
import { ToolwrightError } from '../../errors.ts';
import type { OpenSession, SessionRequest, SessionStore } from '../../sessions/session.ts';
import { overlayFiles } from '../../workspaces/overlay.ts';
import type { Quota } from '../../workspaces/shared-state.ts';

/**
 * Opens a session for a dry run. Changes of files go to the workspace of the execution, which ends with it. Nothing is added to the
 * log of the session, and a missing one is not created: its workspace counts as empty. Raises `UNKNOWN_SESSION`.
 */
export async function openDryRunSession(
  sessions: SessionStore,
  { userId, sessionId, createSession = false }: SessionRequest,
  executionId: string,
  quota: Quota,
): Promise<OpenSession> {
  const own = await sessions.open({ userId }, executionId, quota);
  if (sessionId === undefined) return own;
  const session = await sessions
    .open({ userId, sessionId, isReadOnly: true }, executionId, quota)
    .catch((error: unknown) => {
      if (!(createSession && error instanceof ToolwrightError && error.code === 'UNKNOWN_SESSION')) throw error;
    });
  if (!session) return own;
  const ends = (end: 'end' | 'discard') => () => Promise.all([session[end](), own[end]()]).then(() => undefined);
  const files = lazy(() => overlayFiles(session.workspace(), own.workspace(), 'workspace', quota.workspaceBytes));
  return {
    ...session,
    workspace: own.workspace,
    mounts: () => ({ ...session.mounts(), workspace: files() }),
    end: ends('end'),
    discard: ends('discard'),
    record: async () => undefined,
  };
}
