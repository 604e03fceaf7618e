import { once } from 'node:events';
import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ToolwrightConfig } from '@toolwright/core';
import { type Logger, stderrLogger, type Toolwright } from '@toolwright/core';
import { EXIT, type Output } from '@toolwright/core/command';
import { readServerEntries, withChangedServer, withoutServer, withServer } from '@toolwright/core/config';
import { LANGUAGE_NAMES } from '@toolwright/sandbox';
import {
  type Cluster,
  type ClusterState,
  type ConfigEntry,
  type ConfigurationFile,
  clientState,
  createAdmission,
  fileIndexCache,
  listen,
  mcpServers,
  openCluster,
  type Principal,
  startNotifications,
  withAdmission,
} from '@toolwright/server/internal';
import { isClusterStore, questionKey } from '@toolwright/storage/internal';
import { announceServer } from '../dashboard/running-server.ts';
import type { Endings } from '../lifetime.ts';
import { editConfiguration } from '../project/edit-configuration.ts';
import { withoutSecrets, withSecretsOf } from '../project/hidden-secrets.ts';
import { isTrusted, ownPlace } from '../project/trust.ts';
import type { McpSettings } from '../server-settings.ts';
import { clientServers } from '../servers/client-servers.ts';
import { readText } from '../servers/files.ts';
import { openHarness } from './harness.ts';

/** The part of a process in a cluster: it accepts requests, runs programs, or does both. */
export type Role = 'all' | 'api' | 'worker';

export interface ServeArguments {
  readonly role: Role;
  /** Programs that run here at once, in a cluster. Default: 32. */
  readonly concurrency: number | undefined;
  readonly settings: McpSettings;
  readonly host: string;
  readonly port: number;
  /** Default time for running work to finish after the first signal, in milliseconds. */
  readonly drainMs: number;
  readonly config: ToolwrightConfig;
  /** The configuration file, if any. */
  readonly file: string | undefined;
  /** The command that creates a key for this server. */
  readonly createKey: string;
  readonly signals: Endings;
}

/**
 * Serves the HTTP API, and MCP at `/mcp`, until an interrupt. Then it rejects new work, waits up to `drainMs` for running work,
 * and cancels the rest. In a cluster, workers run the programs, and programs that still run here are handed over to others.
 */
export async function serve(core: Toolwright, options: ServeArguments, { out, err }: Output): Promise<number> {
  const { settings, host, port, drainMs, signals, createKey } = options;
  const { dataDir } = options.config;
  const logger = stderrLogger();
  await using cluster = await joinCluster(options, logger);
  const toolwright = cluster?.dispatched(core) ?? core;
  // In a cluster, the queue limits the programs that run.
  const admission = createAdmission(cluster ? { maxStarted: MAX_EXECUTIONS } : {});
  const admitted = withAdmission(toolwright, admission);
  // Sessions of tasks count for the cap too. Tasks have limits of their own, and their programs run on while the server drains.
  await using harness = await openHarness({ ...core, sessions: admitted.sessions }, options.config, {
    logger,
    cluster,
  });
  const { tasks, access } = harness;
  const enter = (principal: Principal) => access.limiter.enter('concurrentExecutions', principal);
  const mcp = mcpServers({
    open: async () => admitted,
    ...{ ...settings, enter, logger, ...clientState(dataDir, access.store) },
    stateKey: () => questionKey(dataDir),
    sessionScope: 'http',
    cache: await fileIndexCache(dataDir, options.file),
  });
  const listening = {
    toolwright,
    mcp,
    logger,
    dataDir,
    host,
    port,
    createKey,
    admission,
    tasks,
    configuration: options.file === undefined ? undefined : configurationFile(options.file),
    clientServers: clientServers({ home: homedir(), cwd: process.cwd(), platform: process.platform, env: process.env }),
    cluster: cluster && placeOf(options.role, cluster),
    ...access,
  };
  const server = await listen(listening);
  const worker = options.role === 'all' ? cluster?.work({ ...workerOptions(core, options), tasks }) : undefined;
  const { publicUrl = server.url } = options.config;
  using _announced = announceServer(dataDir, { url: server.url, config: options.file });
  toolwright.logins.useCallback(new URL('/oauth/callback', publicUrl).href);
  signals.at('running work');
  const continuing = toolwright.executions.continueExecutions();
  // The index is built now, so that the first list does not wait for it.
  void toolwright.executions.find({ limit: 1 }).catch((err: unknown) => logger.warn({ err }, 'no index of executions'));
  const { webhook } = options.config.notifications;
  const notifications =
    webhook === undefined
      ? undefined
      : startNotifications({ toolwright, store: harness.access.store, webhook, publicUrl, logger });
  out(`MCP is at ${server.url}/mcp`);
  out(`The API is at ${server.url}, and described at ${server.url}/docs`);
  if (options.config.dashboard) out(`The dashboard is at ${publicUrl}. Run "toolwright dashboard" to open it`);
  // The other language is chosen now, so that the log of the start has its sandbox too.
  if (options.role === 'all') await Promise.allSettled(LANGUAGE_NAMES.map((language) => core.sandbox(language)));
  if (!access.hasKeys) err(`${NO_KEYS} Run "${createKey}" to create one.`);
  if (!signals.end.aborted) await once(signals.end, 'abort');
  continuing[Symbol.dispose]();
  signals.at('the notifications and the worker');
  await notifications?.[Symbol.asyncDispose]();
  admission.drain();
  await worker?.stop();
  signals.at('running work');
  if (admission.running > 0) err(waitingFor(drainMs));
  const cut = AbortSignal.any([signals.now, AbortSignal.timeout(drainMs)]);
  await Promise.race([admission.idle(), cut.aborted ? undefined : once(cut, 'abort')]);
  // Cancelled work ends as interrupted; waiting clients still receive that status.
  signals.at('the tasks');
  await tasks[Symbol.asyncDispose]();
  signals.at('the programs, servers and stores');
  await toolwright.close({ handOver: cluster !== undefined });
  await Promise.race([admission.idle(), sleep(CUT_MS, undefined, { ref: false })]);
  signals.at('the HTTP server');
  await server.close();
  signals.at('the cluster, the keys and the store');
  await worker?.[Symbol.asyncDispose]();
  return EXIT.completed;
}

function waitingFor(drainMs: number): string {
  return `Waiting up to ${drainMs} ms for running work. A second signal ends the server at once.`;
}

/** Joins the cluster of the store; `undefined` where processes form none. */
export async function joinCluster({ config }: ServeArguments, logger: Logger): Promise<Cluster | undefined> {
  const { store, redis, dataDir } = config;
  return isClusterStore(store) ? openCluster({ store, redis, dataDir, logger }) : undefined;
}

/** Returns the place of this process in its cluster, for `/ready` and `/usage`. */
export function placeOf(role: Role, cluster: Cluster): ClusterState {
  return {
    role,
    counts: cluster.counts,
    get redis() {
      return cluster.redis;
    },
  };
}

/** Returns the options of the worker of this process. A user has the same limit on all workers together as in one process. */
export function workerOptions(
  toolwright: Toolwright,
  { concurrency, config }: ServeArguments,
): Omit<Parameters<Cluster['work']>[0], 'tasks'> {
  return { toolwright, concurrency, perUser: config.rateLimits.user.concurrentExecutions };
}

/** A process of a cluster starts no programs itself: each waits in the queue. */
const MAX_EXECUTIONS = 2_048;
const NO_KEYS = 'No API key exists: only this machine can connect, and every user of this machine can use your tools.';
/** Time to send the status of cancelled work, in milliseconds. */
const CUT_MS = 2_000;

/** Opens a configuration file for changes of its servers. Changes follow one another, so that none is lost. */
export function configurationFile(file: string): ConfigurationFile {
  const place = ownPlace();
  let last: Promise<unknown> = Promise.resolve();
  const edit = (change: (text: string) => string) => {
    // Another program may have changed the file before: that content stays untrusted.
    const edited = last.then(() => editConfiguration(file, change, place, (text) => isTrusted(file, text, place)));
    last = edited.catch(() => undefined);
    return edited;
  };
  const stored = async (name: string) => readServerEntries(file, (await readText(file)).trim() || '{}').get(name);
  return {
    add: (name, entry) => edit((text) => withServer(file, text, name, entry)),
    change: (name, entry) => edit((text) => withChangedServer(file, text, name, entry)),
    remove: (name) => edit((text) => withoutServer(file, text, name) ?? text),
    async entry(name) {
      const entry = await stored(name);
      return entry === undefined ? undefined : (withoutSecrets(entry) as ConfigEntry);
    },
    complete: async (name, entry) => withSecretsOf(await stored(name), entry) as ConfigEntry,
  };
}
