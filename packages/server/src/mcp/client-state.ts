import type { Store } from '@toolwright/core';
import { openRecentTools, type RecentTools } from './instructions/recent-tools.ts';
import { storedRecentTools } from './instructions/stored-recent-tools.ts';
import { storedUsage } from './stored-usage.ts';
import { createUsage, type Usage } from './usage.ts';

/** The state about the users of MCP clients. */
export interface ClientState {
  readonly recent: RecentTools;
  readonly usage: Usage;
}

/** Opens the state in the store of a cluster; else recent tools in the data folder, and costs in memory. */
export function clientState(dataDir: string, store: Store | undefined): ClientState {
  if (store?.name === 'postgres') return { recent: storedRecentTools(store), usage: storedUsage(store) };
  return { recent: openRecentTools(dataDir), usage: createUsage() };
}
