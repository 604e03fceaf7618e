import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { stderrLogger, type Toolwright } from '@toolwright/core';
import { EXIT, type Output } from '@toolwright/core/command';
import {
  createAdmission,
  listen,
  type McpOptions,
  mcpServers,
  type Principal,
  type ProfileName,
  withAdmission,
} from '@toolwright/server/internal';
import { type HarnessConfig, openHarness } from './harness.ts';

export interface ServeArguments {
  readonly profile: ProfileName;
  readonly personalData: NonNullable<McpOptions['personalData']>;
  readonly host: string;
  readonly port: number;
  /** Milliseconds that running work gets to end by itself after the first signal. */
  readonly drainMs: number;
  readonly config: HarnessConfig;
  /** Aborted when the server is to end, and when it is to end at once. */
  readonly signals: { readonly end: AbortSignal; readonly now: AbortSignal };
}

/**
 * Serves the HTTP API, and MCP at `/mcp`, until it is interrupted. Then new work is refused, what is under way gets
 * `drainMs` to end, and what has not ended by then is cut.
 */
export async function serve(toolwright: Toolwright, options: ServeArguments, { out, err }: Output): Promise<number> {
  const { profile, personalData, host, port, drainMs, signals } = options;
  const logger = stderrLogger();
  const admission = createAdmission();
  const admitted = withAdmission(toolwright, admission);
  const harness = await openHarness(toolwright, options.config, logger);
  const { tasks, access } = harness;
  const enter = (principal: Principal) => access.limiter.enter('concurrentExecutions', principal);
  const mcp = mcpServers({ open: async () => admitted, profile, personalData, enter, logger });
  const server = await listen({ toolwright, mcp, logger, host, port, admission, tasks, ...access }).catch(
    async (error: unknown) => {
      await harness[Symbol.asyncDispose]();
      throw error;
    },
  );
  out(`MCP is at ${server.url}/mcp`);
  out(`The API is at ${server.url}, and described at ${server.url}/docs`);
  if (!access.hasKeys) err(NO_KEYS);
  if (!signals.end.aborted) await once(signals.end, 'abort');
  admission.drain();
  if (admission.running > 0) err(`Waiting up to ${drainMs} ms for what is under way. A second signal ends it now.`);
  const cut = AbortSignal.any([signals.now, AbortSignal.timeout(drainMs)]);
  await Promise.race([admission.idle(), cut.aborted ? undefined : once(cut, 'abort')]);
  // What is cut ends as interrupted, and is still told so to those who wait for it.
  await tasks[Symbol.asyncDispose]();
  await toolwright.close();
  await Promise.race([admission.idle(), sleep(CUT_MS, undefined, { ref: false })]);
  await server.close();
  await harness[Symbol.asyncDispose]();
  return EXIT.completed;
}

const NO_KEYS =
  'No key is configured: only this machine can reach the server, and everybody on it may use your tools. ' +
  '"toolwright keys create --user NAME" makes one.';
/** Milliseconds that what was cut gets to tell so. */
const CUT_MS = 2_000;
