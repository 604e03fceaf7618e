/** Who is behind a request. */
export interface Principal {
  /** Whose sessions, tasks, files, skills and vault are seen. */
  readonly user: string;
  /** What limits are counted for: the id of an API key, the subject of a token, or `local`. Never the secret itself. */
  readonly credential: string;
}

/** Whoever reaches a server without any key configured, which listens on the loopback only. */
export const LOCAL_PRINCIPAL: Principal = { user: 'local', credential: 'local' };
