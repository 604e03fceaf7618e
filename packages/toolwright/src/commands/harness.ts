import type { Logger, Store, Toolwright, ToolwrightConfig } from '@toolwright/core';
import { openBus } from '@toolwright/core/internal';
import { openState } from '@toolwright/core/shared-state';
import { createTasks, openModels, type Tasks } from '@toolwright/server';
import { apiKeys } from '@toolwright/server/api-keys';
import {
  authentication,
  createBrowserLogin,
  createMetrics,
  jwtVerifier,
  type ListenOptions,
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

/** The parts that a server adds to a Toolwright. */
export interface Harness extends AsyncDisposable {
  readonly tasks: Tasks;
  /** Authentication, quotas and metrics. */
  readonly access: Pick<
    ListenOptions,
    | 'authenticate'
    | 'browserLogin'
    | 'protectedResource'
    | 'metrics'
    | 'hostnames'
    | 'cors'
    | 'hasKeys'
    | 'dashboard'
    | 'publicUrl'
  > & {
    readonly limiter: RateLimiter;
    readonly store: Store;
  };
}

/**
 * Opens keys, quotas, metrics and tasks as configured. Without a key and a token issuer, every caller is the local user; such a
 * server must listen on the loopback address only.
 */
export async function openHarness(toolwright: Toolwright, config: HarnessConfig, logger: Logger): Promise<Harness> {
  const models = openModels();
  // A wrong model configuration must fail at the start, not at the first task.
  if (process.env.LLM_MODEL) await models();
  const state = await openState(config);
  const { store, redis, cluster: prefix } = state;
  // The keys are in the store: a server must not start without those that a damaged file has lost.
  await store.check?.({ complete: true });
  for (const problem of await state.checkRedis()) logger.warn({}, problem);
  const keys = apiKeys(store);
  const jwt = config.auth.jwt ? jwtVerifier(config.auth.jwt) : undefined;
  const hasKeys = jwt !== undefined || (await keys.hasKeys());
  const resource = config.auth.jwt && protectedResource(config.auth.jwt);
  const limiter = rateLimiter({ settings: config.rateLimits, store, redis, prefix });
  const metrics = createMetrics();
  const { dataDir, retentionDays, restoreAnswer } = config;
  const bus = await openBus(config);
  const own = { store: config.store, bus, dataDir, retentionDays, restoreAnswer };
  const tasks = await createTasks({ toolwright, models, logger, ...own });
  return {
    tasks,
    access: {
      authenticate: authentication({
        keys,
        jwt,
        resource,
        onFailure: limiter.failedAuthentication,
        onUnauthenticated: limiter.unauthenticated,
        allowLocal: !hasKeys,
        logger,
      }),
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
      await tasks[Symbol.asyncDispose]();
      await bus[Symbol.asyncDispose]();
      metrics.close();
      await state[Symbol.asyncDispose]();
    },
  };
}
