import type { Logger, Store, Toolwright, ToolwrightConfig } from '@toolwright/core';
import { readSecretText } from '@toolwright/core/internal';
import { createTasks, openModels } from '@toolwright/server';
import { apiKeys } from '@toolwright/server/api-keys';
import {
  authentication,
  type Cluster,
  createBrowserLogin,
  createMetrics,
  jwtVerifier,
  type ListenOptions,
  type Metrics,
  type OpenIdProvider,
  openIdProvider,
  protectedResource,
  type RateLimiter,
  rateLimiter,
  startTaskReconciler,
} from '@toolwright/server/internal';
import { openState } from '@toolwright/storage/shared-state';

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
  readonly tasks: ServedTasks;
  readonly access: Access['options'] & { readonly authenticate: ListenOptions['authenticate'] };
}

/** Tasks of a server, which run on the workers in a cluster. */
export type ServedTasks = Awaited<ReturnType<typeof createTasks>>;

/** The log of the process, and its cluster. */
export interface TaskParts {
  readonly logger: Logger;
  readonly cluster?: Cluster | undefined;
}

/** Opens the tasks as configured. In a cluster, its workers run them. */
export async function openTasks(
  toolwright: Toolwright,
  { store, dataDir, retentionDays, restoreAnswer }: ToolwrightConfig,
  { logger, cluster }: TaskParts,
): Promise<ServedTasks> {
  const models = openModels();
  // A wrong model configuration must fail at the start, not at the first task.
  if (process.env.LLM_MODEL) await models();
  const common = { toolwright, models, logger, store, dataDir, retentionDays, restoreAnswer };
  if (!cluster) return createTasks(common);
  const { bus, submitTask } = cluster;
  const tasks = await createTasks({ ...common, bus, submit: submitTask });
  const reconciling = startTaskReconciler(tasks, submitTask);
  return {
    ...tasks,
    async [Symbol.asyncDispose]() {
      reconciling[Symbol.dispose]();
      await tasks[Symbol.asyncDispose]();
    },
  };
}

/** Opens keys, quotas and metrics as configured. With a cluster, the metrics have its work. */
export async function openAccess(config: ToolwrightConfig, logger: Logger, cluster?: Cluster): Promise<Access> {
  const state = await openState(config);
  return orDispose(state, () => accessOf(state, config, { logger, cluster }));
}

async function accessOf(
  state: Awaited<ReturnType<typeof openState>>,
  config: ToolwrightConfig,
  { logger, cluster }: { readonly logger: Logger; readonly cluster: Cluster | undefined },
): Promise<Access> {
  const { store, redis, database, cluster: prefix } = state;
  // The keys are in the store: a server must not start without those that a damaged file has lost.
  await store.check?.({ complete: true });
  for (const problem of await state.checkRedis()) logger.warn({}, problem);
  const keys = apiKeys(store);
  const jwt = config.auth.jwt ? jwtVerifier(config.auth.jwt) : undefined;
  const provider = providerOf(config);
  const hasKeys = jwt !== undefined || provider !== undefined || (await keys.hasKeys());
  const resource = config.auth.jwt && protectedResource(config.auth.jwt);
  const shared = { redis, database, prefix, nameOf: cluster?.nameOf };
  const limiter = rateLimiter({ settings: config.rateLimits, store, ...shared });
  const metrics = createMetrics({ work: cluster?.counts, redis: cluster && (() => cluster.redis) });
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
        store,
        jwt,
        provider,
        logger,
        publicUrl: config.publicUrl,
        onFailure: limiter.failedAuthentication,
        keys: hasKeys ? keys : undefined,
      }),
      protectedResource: resource,
      limiter,
      metrics,
      store,
      hostnames: config.hostnames,
      dashboard: config.dashboard,
      publicUrl: config.publicUrl,
      cors: config.cors.origins.length > 0 ? config.cors : undefined,
      hasKeys,
    },
    async [Symbol.asyncDispose]() {
      metrics.close();
      await state[Symbol.asyncDispose]();
    },
  };
}

/** Returns the OpenID provider of the dashboard. It reads its secret when it needs it. */
function providerOf(config: ToolwrightConfig): OpenIdProvider | undefined {
  const { oidc, jwt } = config.auth;
  if (oidc === undefined) return undefined;
  const readSecret = oidc.clientSecret === undefined ? undefined : () => clientSecretOf(config, oidc.clientSecret);
  return openIdProvider({ settings: oidc, readSecret, jwt });
}

function clientSecretOf({ folder, secrets }: ToolwrightConfig, text = ''): Promise<string> {
  return readSecretText(text, 'auth.oidc.clientSecret', { folder, commands: secrets });
}

/**
 * Opens keys, quotas, metrics and tasks as configured. Without a key and a token issuer, every caller is the local user; such a
 * server must listen on the loopback address only.
 */
export async function openHarness(
  toolwright: Toolwright,
  config: ToolwrightConfig,
  { logger, cluster }: TaskParts,
): Promise<Harness> {
  // A wrong reference to a secret must fail at the start, not at the first login.
  await clientSecretOf(config, config.auth.oidc?.clientSecret);
  const access = await openAccess(config, logger, cluster);
  const tasks = await orDispose(access, () => openTasks(toolwright, config, { logger, cluster }));
  return {
    tasks,
    access: { ...access.options, authenticate: access.authenticate({ allowLocal: true }) },
    async [Symbol.asyncDispose]() {
      await tasks[Symbol.asyncDispose]();
      await access[Symbol.asyncDispose]();
    },
  };
}

/** Returns the result of a function. If it fails, disposes the resource that was opened before, so that the process can end. */
async function orDispose<T>(opened: AsyncDisposable, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}
