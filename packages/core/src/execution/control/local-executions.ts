import type { WaitSettings } from '../../config/sections/waits.ts';
import type { ExecutionStorage } from '../../history/storages/storage.ts';
import { openWaiting, type Waiting } from '../questions/waiting.ts';
import { type ActiveExecutions, createActiveExecutions } from './active-executions.ts';

/** The executions of this process: their register, and their waits. */
export interface LocalExecutions {
  readonly active: ActiveExecutions;
  readonly waiting: Waiting;
}

/** Opens the executions of this process. */
export function openLocalExecutions(storage: ExecutionStorage, waits: WaitSettings): LocalExecutions {
  const active = createActiveExecutions();
  // Another process may have taken it over: it can have no other effect here.
  storage.onLost(active.cancel);
  storage.onCancelRequest(active.cancel);
  return { active, waiting: openWaiting(waits) };
}
