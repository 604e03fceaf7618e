import type { Store } from '@toolwright/core';
import { type DueTimes, dueTimesOf } from '@toolwright/core/internal';
import { openRecentTools, type RecentTools } from '../instructions/recent-tools.ts';
import { storedRecentTools } from '../instructions/stored-recent-tools.ts';
import { storedUsage } from '../usage/stored-usage.ts';
import { createUsage, type Usage } from '../usage/usage.ts';

/** The state about the users of MCP clients. */
export interface ClientState {
  readonly recent: RecentTools;
  readonly usage: Usage;
  /** When waits end, by the clock of the store or of the data folder. */
  readonly dueTimes: DueTimes;
}

/** Opens the state in the store of a cluster; else recent tools in the data folder, and costs in memory. */
export function clientState(dataDir: string, store: Store | undefined): ClientState {
  const dueTimes = dueTimesOf(store, dataDir);
  if (store?.name === 'postgres') return { recent: storedRecentTools(store), usage: storedUsage(store), dueTimes };
  return { recent: openRecentTools(dataDir), usage: createUsage(), dueTimes };
}
