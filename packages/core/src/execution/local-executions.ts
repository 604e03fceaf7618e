import type { WaitSettings } from '../config/waits.ts';
import { type CancelRequests, openCancelRequests } from '../journal/leases/cancel-requests.ts';
import { type Owner, openOwner } from '../journal/leases/owner.ts';
import { type ActiveExecutions, createActiveExecutions } from './active-executions.ts';
import { openWaiting, type Waiting } from './waiting.ts';

/** The executions of this process: their register, its lease of the data folder, and the requests of other processes. */
export interface LocalExecutions extends Disposable {
  readonly active: ActiveExecutions;
  readonly owner: Owner;
  readonly cancels: CancelRequests;
  readonly waiting: Waiting;
}

/** Opens the executions of this process in a data folder. */
export function openLocalExecutions(dataDir: string, waits: WaitSettings): LocalExecutions {
  const owner = openOwner(dataDir);
  // A lease that was lost in a long pause cancels the executions under it, and not the one that starts now.
  const active = createActiveExecutions(() => void owner.lease());
  // Another process may have taken them over: none of them can have another effect.
  owner.onLost(active.cancelRunning);
  const waiting = openWaiting(dataDir, waits);
  return {
    active,
    owner,
    cancels: openCancelRequests(dataDir, owner, active.cancel),
    waiting,
    [Symbol.dispose]() {
      waiting.decisions[Symbol.dispose]();
      owner[Symbol.dispose]();
    },
  };
}
