import { once } from 'node:events';
import { stderrLogger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { EXIT, type Output } from '@toolwright/core/command';
import { LANGUAGE_NAMES } from '@toolwright/sandbox';
import { listenAsWorker } from '@toolwright/server/internal';
import { openAccess, openTasks } from './harness.ts';
import { joinCluster, placeOf, type ServeArguments, workerOptions } from './serve.ts';

/**
 * Runs the programs of a cluster until an interrupt, and serves `/health`, `/ready` and `/metrics`. At the first signal it claims nothing
 * more, and waits up to `drainMs` for running programs. Then other workers continue the rest from their journals.
 */
export async function serveWorker(
  toolwright: Toolwright,
  options: ServeArguments,
  { out, err }: Output,
): Promise<number> {
  const { host, port, drainMs, signals, config } = options;
  const logger = stderrLogger();
  await using cluster = await joinCluster(options, logger);
  if (!cluster) throw new ToolwrightError('CONFIG_INVALID', 'A worker needs a store that is PostgreSQL.');
  await using access = await openAccess(config, logger, cluster);
  const { metrics } = access.options;
  let isDraining = false;
  await using tasks = await openTasks(toolwright, config, { logger, cluster });
  await using worker = cluster.work({ ...workerOptions(toolwright, options), tasks });
  const admission = {
    get isDraining() {
      return isDraining;
    },
    get running() {
      return worker.running;
    },
  };
  const place = placeOf('worker', cluster);
  const { authenticate } = access;
  const common = { toolwright, logger, dataDir: config.dataDir, host, port };
  const server = await listenAsWorker({ ...common, metrics, authenticate, admission, cluster: place });
  // The index is opened now, so that lists have the first executions too.
  void toolwright.executions.find({ limit: 1 }).catch((err: unknown) => logger.warn({ err }, 'no index of executions'));
  signals.at('running work');
  out(`The worker is at ${server.url}`);
  await Promise.allSettled(LANGUAGE_NAMES.map((language) => toolwright.sandbox(language)));
  if (!signals.end.aborted) await once(signals.end, 'abort');
  isDraining = true;
  signals.at('the worker');
  await worker.stop();
  signals.at('running work');
  if (worker.running > 0) err(`Waiting up to ${drainMs} ms for running programs. Then other workers continue them.`);
  const cut = AbortSignal.any([signals.now, AbortSignal.timeout(drainMs)]);
  await Promise.race([worker.idle(), cut.aborted ? undefined : once(cut, 'abort')]);
  // Running tasks are handed over too.
  signals.at('the tasks');
  await tasks[Symbol.asyncDispose]();
  signals.at('the programs, servers and stores');
  await toolwright.close({ handOver: true });
  signals.at('the HTTP server');
  await server.close();
  signals.at('the cluster and the store');
  return EXIT.completed;
}
