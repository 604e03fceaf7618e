import type { McpRequestContext } from '@modelcontextprotocol/server';
import { inProfile, type Toolwright } from '@toolwright/core';
import { LOCAL_PRINCIPAL, type Principal } from '../principal.ts';
import type { RecentTools } from './instructions/recent-tools.ts';

type AuthInfo = McpRequestContext['authInfo'];

/** A client of the MCP server. */
export interface McpClient {
  readonly principal: Principal;
  /** Returns the Toolwright as this client may use it. */
  readonly open: () => Promise<Toolwright>;
}

/** Returns the client of a request. Its profile is that of its key or endpoint, else `profile`. */
export function clientOf(authInfo: AuthInfo, open: () => Promise<Toolwright>, profile?: string): McpClient {
  const principal = principalOf(authInfo, profile);
  const { profile: own } = principal;
  return { principal, open: own === undefined ? open : async () => inProfile(await open(), own) };
}

function principalOf(authInfo: AuthInfo, all?: string): Principal {
  const { user, profile = all } = authInfo?.extra ?? {};
  const own = typeof profile === 'string' ? { profile } : {};
  return authInfo && typeof user === 'string'
    ? { user, credential: authInfo.clientId, ...own }
    : { ...LOCAL_PRINCIPAL, ...own };
}

/** Returns the owner of a session of a client: another profile of the same user is another owner. */
export function ownerOf(authInfo: AuthInfo): string | undefined {
  const { user, profile } = authInfo?.extra ?? {};
  if (typeof profile === 'string') return ownerName(String(user ?? LOCAL_PRINCIPAL.user), profile);
  return typeof user === 'string' ? user : undefined;
}

/** Returns the recent tools of one profile: its clients must not read the tools of others. */
export function recentIn(recent: RecentTools, profile: string | undefined): RecentTools {
  if (profile === undefined) return recent;
  return {
    of: (user) => recent.of(ownerName(user, profile)),
    add: (user, tools) => recent.add(ownerName(user, profile), tools),
  };
}

function ownerName(user: string, profile: string): string {
  return JSON.stringify([user, profile]);
}
