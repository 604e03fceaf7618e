import type { Logger, Store, Toolwright, ToolwrightConfig } from '@toolwright/core';
import { openState } from '@toolwright/core/shared-state';
import { createTasks, openModels, type Tasks } from '@toolwright/server';
import { apiKeys } from '@toolwright/server/api-keys';
import {
  authentication,
  type Cluster,
  createBrowserLogin,
  createMetrics,
  jwtVerifier,
  type ListenOptions,
  type Metrics,
  protectedResource,
  type RateLimiter,
  rateLimiter,
} from '@toolwright/server/internal';

/** The parts of the configuration that a server reads. */
export type HarnessConfig = Pick<
  ToolwrightConfig,
  | 'auth'
  | 'rateLimits'
  | 'store'
  | 'redis'
  | 'dataDir'
  | 'retentionDays'
  | 'hostnames'
  | 'publicUrl'
  | 'notifications'
  | 'cors'
  | 'restoreAnswer'
  | 'dashboard'
>;

/** Authentication, quotas and metrics of a server. */
export interface Access extends AsyncDisposable {
  readonly options: Pick<
    ListenOptions,
    'browserLogin' | 'protectedResource' | 'hostnames' | 'cors' | 'hasKeys' | 'dashboard' | 'publicUrl'
  > & {
    readonly metrics: Metrics;
    readonly limiter: RateLimiter;
    readonly store: Store;
  };
  /** Returns the check of credentials. `allowLocal`: without keys, requests need none. */
  authenticate(options: { readonly allowLocal: boolean }): NonNullable<ListenOptions['authenticate']>;
}

/** The parts that a server adds to a Toolwright. */
export interface Harness extends AsyncDisposable {
  readonly tasks: Tasks;
  readonly access: Access['options'] & Pick<ListenOptions, 'authenticate'>;
}

/** Opens keys, quotas and metrics as configured. With a cluster, the metrics have its work. */
export async function openAccess(
  config: HarnessConfig,
  logger: Logger,
  cluster?: Pick<Cluster, 'counts'>,
): Promise<Access> {
  const state = await openState(config);
  const { store, redis } = state;
  // The keys are in the store: a server must not start without those that a damaged file has lost.
  await store.check?.({ complete: true });
  const keys = apiKeys(store);
  const jwt = config.auth.jwt ? jwtVerifier(config.auth.jwt) : undefined;
  const hasKeys = jwt !== undefined || (await keys.hasKeys());
  const resource = config.auth.jwt && protectedResource(config.auth.jwt);
  const limiter = rateLimiter({ settings: config.rateLimits, store, redis });
  const metrics = createMetrics({ work: cluster?.counts });
  return {
    authenticate: ({ allowLocal }) =>
      authentication({
        keys,
        jwt,
        resource,
        onFailure: limiter.failedAuthentication,
        onUnauthenticated: limiter.unauthenticated,
        allowLocal: allowLocal && !hasKeys,
        logger,
      }),
    options: {
      browserLogin: createBrowserLogin({
        ...{ store, jwt, logger, publicUrl: config.publicUrl, onFailure: limiter.failedAuthentication },
        keys: hasKeys ? keys : undefined,
      }),
      protectedResource: resource,
      limiter,
      metrics,
      store,
      hostnames: config.hostnames,
      dashboard: config.dashboard,
      publicUrl: config.publicUrl,
      ...(config.cors.origins.length > 0 ? { cors: config.cors } : {}),
      hasKeys,
    },
    async [Symbol.asyncDispose]() {
      metrics.close();
      await state[Symbol.asyncDispose]();
    },
  };
}

/**
 * Opens keys, quotas, metrics and tasks as configured. Without a key and a token issuer, every caller is the local user; such a
 * server must listen on the loopback address only.
 */
export async function openHarness(
  toolwright: Toolwright,
  config: HarnessConfig,
  { logger, cluster }: { readonly logger: Logger; readonly cluster?: Cluster | undefined },
): Promise<Harness> {
  const models = openModels();
  // A wrong model configuration must fail at the start, not at the first task.
  if (process.env.LLM_MODEL) await models();
  const access = await openAccess(config, logger, cluster);
  const { dataDir, retentionDays, restoreAnswer } = config;
  const tasks = await createTasks({ toolwright, dataDir, models, retentionDays, restoreAnswer, logger });
  return {
    tasks,
    access: { ...access.options, authenticate: access.authenticate({ allowLocal: true }) },
    async [Symbol.asyncDispose]() {
      await tasks[Symbol.asyncDispose]();
      await access[Symbol.asyncDispose]();
    },
  };
}
