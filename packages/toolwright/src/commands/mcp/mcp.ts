import { stderrLogger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { EXIT } from '@toolwright/core/command';
import { executionBegun } from '@toolwright/core/internal';
import { clientState, fileIndexCache, mcpServers, serveOnStdio } from '@toolwright/server/internal-mcp';
import { openStore } from '@toolwright/storage';
import { isClusterStore, questionKey } from '@toolwright/storage/internal';
import type { McpSettings } from '../server-settings.ts';
import { letYoungMemoryGrow } from './young-memory.ts';

export interface McpArguments extends McpSettings {
  /** The configuration file, if any, and the data folder. */
  readonly config: string | undefined;
  readonly dataDir: string;
  /** The name of the store. */
  readonly store: string;
  readonly signal: AbortSignal;
}

/**
 * Serves MCP on stdin and stdout until the client disconnects. `open` is called after the client connects, to keep the first
 * answer fast. When it fails, the call returns its error, and the next call tries again.
 */
export async function mcp(open: () => Promise<Toolwright>, args: McpArguments): Promise<number> {
  const { config, dataDir, store, signal, ...settings } = args;
  const unsubscribe = executionBegun.subscribe(() => {
    letYoungMemoryGrow();
    unsubscribe();
  });
  const logger = stderrLogger();
  let opening: Promise<Toolwright> | undefined;
  let continuing: Disposable | undefined;
  let hasEnded = false;
  const openOnce = () => {
    // A late load may ask for a Toolwright after the client has disconnected. Nothing would close it.
    if (hasEnded) return Promise.reject(new ToolwrightError('CLOSED', 'The client has disconnected.'));
    opening ??= open().then(
      (toolwright) => {
        continuing = toolwright.executions.continueExecutions();
        return toolwright;
      },
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
  if (config === undefined) {
    const fix = 'set --config FILE (an absolute path) or TOOLWRIGHT_CONFIG, or run "toolwright init"';
    logger.warn({ folder: process.cwd() }, `found no configuration, so programs have no tools: ${fix}`);
  }
  // Other stores have nothing for the clients, and open with the first call.
  await using shared = isClusterStore(store) ? openStore(store, dataDir) : undefined;
  const factory = mcpServers({
    open: openOnce,
    ...settings,
    ...clientState(dataDir, shared),
    stateKey: () => questionKey(dataDir),
    logger,
    cache: await fileIndexCache(dataDir, config, settings.servers),
  });
  await serveOnStdio(factory, { signal, logger });
  unsubscribe();
  hasEnded = true;
  continuing?.[Symbol.dispose]();
  await (await opening?.catch(() => undefined))?.close();
  return EXIT.completed;
}
