import { createHmac } from 'node:crypto';
import { type Toolwright, ToolwrightError } from '@toolwright/core';
import type { ToolName } from '../tools/definitions.ts';

/** Finds the session of calls that name none. */
export interface DefaultSessions {
  /**
   * Returns the arguments of a call with the session of its user. The workspace tools create it; the other tools of a session use it if it
   * exists. Arguments with a session, and those of other tools, are unchanged.
   */
  fill(
    tool: ToolName,
    args: object,
    caller: { readonly toolwright: Toolwright; readonly user: string },
  ): Promise<object & { readonly sessionId?: unknown }>;
}

const CREATE: ReadonlySet<ToolName> = new Set(['write_workspace_file', 'read_workspace_file', 'list_workspace_files']);
const USE: ReadonlySet<ToolName> = new Set(['execute_code', 'sanitize_pii', 'restore_pii']);
/** 160 of 256 bits. */
const ID_CHARACTERS = 40;

/** Creates the default sessions: one for each user. Only holders of the key know their ids, which `scope` distinguishes. */
export function defaultSessions(key: () => Uint8Array, scope: string): DefaultSessions {
  const idOf = (user: string) =>
    createHmac('sha256', key())
      .update(JSON.stringify(['default session', scope, user]))
      .digest('hex')
      .slice(0, ID_CHARACTERS);
  return {
    async fill(tool, args, { toolwright, user }) {
      const isOwn = 'sessionId' in args && args.sessionId !== undefined;
      const create = CREATE.has(tool);
      if (isOwn || !(create || USE.has(tool))) return args;
      try {
        const { id } = await toolwright.sessions.get(idOf(user), { userId: user, create });
        return { ...args, sessionId: id };
      } catch (error) {
        if (error instanceof ToolwrightError && error.code === 'UNKNOWN_SESSION') return args;
        throw error;
      }
    },
  };
}
