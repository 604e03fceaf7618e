/** The authenticated caller of a request. */
export interface Principal {
  /** The user who owns the sessions, tasks, files, skills and vault of the request. */
  readonly user: string;
  /** The subject of quotas: the id of an API key, the subject of a token, or `local`. Never the secret itself. */
  readonly credential: string;
}

/** The principal of every client of a server without keys. Such a server listens on loopback only. */
export const LOCAL_PRINCIPAL: Principal = { user: 'local', credential: 'local' };

/** The request context that authentication fills and routes read. */
export interface PrincipalEnv {
  Variables: { principal: Principal };
}
