/** The authenticated caller of a request. */
export interface Principal {
  /** The user who owns the sessions, tasks, files, skills and vault of the request. */
  readonly user: string;
  /** A name of the user to show, from a token. It identifies nobody: an issuer may give it to another person. */
  readonly name?: string;
  /** The subject of quotas: the id of an API key, the user of a token, or `local`. Never the secret itself. */
  readonly credential: string;
  /** Rights over the data of other users, or `executions:read`. Default: none. MCP clients have none: a model acts there. */
  readonly scopes?: readonly Scope[];
  /** The profile of its credential: other servers and tools do not exist for it. Default: it may choose one. */
  readonly profile?: string;
}

/**
 * `executions:read`: a viewer, who may change and decide nothing, also with other scopes.
 * `executions:decide`: read the executions of all users, with real arguments of open questions, and decide about them.
 * `servers:admin`: add and remove servers, which starts programs with the rights of Toolwright.
 */
export type Scope = (typeof SCOPES)[number];

export const SCOPES = ['executions:read', 'executions:decide', 'servers:admin'] as const;

/** The scopes that add rights: all but that of a viewer. */
export const RIGHTS: readonly Scope[] = SCOPES.filter((scope) => scope !== 'executions:read');

/** Returns whether a principal may only read. */
export function isViewer({ scopes }: Principal): boolean {
  return scopes?.includes('executions:read') ?? false;
}

/** Returns those of the names that are scopes. */
export function scopesIn(names: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => names.includes(scope));
}

/** Returns the principal of a verified token. */
export function tokenPrincipal({
  user,
  name,
  scopes,
}: {
  readonly user: string;
  readonly name?: string | undefined;
  readonly scopes: readonly string[];
}): Principal {
  return { user, name, credential: `jwt:${user}`, scopes: scopesIn(scopes) };
}

/** Returns the person who decided, for the record: the user, after a name to show. */
export function deciderOf({ user, name }: Principal): string {
  return name === undefined ? user : `${name} (${user})`;
}

/** The principal of every client of a server without keys. Such a server listens on loopback only. */
export const LOCAL_PRINCIPAL: Principal = { user: 'local', credential: 'local' };

/** The request context that authentication fills and routes read. */
export interface PrincipalEnv {
  Variables: {
    principal: Principal;
    /** Checks the credential of the request again. Returns undefined when it is not valid any more. Absent without a credential. */
    currentPrincipal?: () => Promise<Principal | undefined>;
  };
}

/** How a browser session began: with an API key, a token of the issuer, a link of the local command, or the OpenID provider. */
export type SessionOrigin = 'key' | 'token' | 'link' | 'provider';

/** A login of a browser. */
export interface BrowserSession {
  readonly principal: Principal;
  readonly by: SessionOrigin;
  /** ISO 8601, UTC. */
  readonly expiresAt: string;
}
