/** What one user, or one credential of a user, may use up. 0 is no limit. */
export interface Quota {
  /** HTTP requests in one minute; a minute begins with the first request after the last one ended. */
  readonly requestsPerMinute: number;
  /** Tasks that run or wait at once, on one server process. */
  readonly concurrentTasks: number;
  /** Executions that run or wait at once, on one server process. */
  readonly concurrentExecutions: number;
  /** Tokens of models, in and out together, in one day of UTC. */
  readonly tokensPerDay: number;
}

/** `rateLimits` of the configuration. */
export interface RateLimitSettings {
  /** All credentials of a user together. */
  readonly user: Quota;
  /** Each API key or token subject by itself. */
  readonly key: Quota;
  /** Whoever asks from one address, known or not. */
  readonly address: {
    /** Credentials that do not count, in one minute. 0 is no limit. */
    readonly failedAuthenticationsPerMinute: number;
  };
}

/** What a user may use up when nothing is configured. */
export const DEFAULT_USER_QUOTA: Quota = {
  requestsPerMinute: 600,
  concurrentTasks: 8,
  concurrentExecutions: 32,
  tokensPerDay: 5_000_000,
};

/** A credential by itself has no limits of its own when nothing is configured: those of its user count. */
export const DEFAULT_KEY_QUOTA: Quota = {
  requestsPerMinute: 0,
  concurrentTasks: 0,
  concurrentExecutions: 0,
  tokensPerDay: 0,
};

export const DEFAULT_FAILED_AUTHENTICATIONS_PER_MINUTE = 30;

export const DEFAULT_RATE_LIMITS: RateLimitSettings = {
  user: DEFAULT_USER_QUOTA,
  key: DEFAULT_KEY_QUOTA,
  address: { failedAuthenticationsPerMinute: DEFAULT_FAILED_AUTHENTICATIONS_PER_MINUTE },
};

/** Whose quota of work it is. */
export type Scope = 'user' | 'key';
export const SCOPES: readonly Scope[] = ['user', 'key'];
