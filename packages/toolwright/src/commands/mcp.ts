import { readFile } from 'node:fs/promises';
import { stderrLogger, type Toolwright, ToolwrightError } from '@toolwright/core';
import { EXIT } from '@toolwright/core/command';
import { indexCache, type McpOptions, mcpServers, type ProfileName, serveOnStdio } from '@toolwright/server/internal';

export interface McpArguments {
  readonly profile: ProfileName;
  readonly personalData: NonNullable<McpOptions['personalData']>;
  /** The configuration file, where there is one, and where the data is. */
  readonly config: string | undefined;
  readonly dataDir: string;
  readonly signal: AbortSignal;
}

/**
 * Serves MCP on stdin and stdout until the client goes away. `open` is called once a client is there: loading everything
 * before the first answer would make it late. While it fails, calls are answered with its error, and the next one tries again.
 */
export async function mcp(open: () => Promise<Toolwright>, args: McpArguments): Promise<number> {
  const { profile, personalData, config, dataDir, signal } = args;
  const logger = stderrLogger();
  let opening: Promise<Toolwright> | undefined;
  let hasEnded = false;
  const openOnce = () => {
    // What is loaded behind an answer may want it after the client has gone: nobody would close it.
    if (hasEnded) return Promise.reject(new ToolwrightError('CLOSED', 'The client has gone.'));
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  if (config === undefined) {
    const fix = 'name one with --config FILE, an absolute path, or TOOLWRIGHT_CONFIG';
    logger.warn({ folder: process.cwd() }, `there is no configuration here, so programs have no tools: ${fix}`);
  }
  const configuration = config === undefined ? '' : `${config}\n${await readFile(config, 'utf8')}`;
  const factory = mcpServers({
    open: openOnce,
    profile,
    personalData,
    logger,
    cache: indexCache(dataDir, configuration),
  });
  await serveOnStdio(factory, { signal, logger });
  hasEnded = true;
  await (await opening?.catch(() => undefined))?.close();
  return EXIT.completed;
}
