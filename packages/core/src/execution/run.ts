import { AsyncResource } from 'node:async_hooks';
import type { GuestOutcome, PreparedSource } from '@toolwright/sandbox';
import type { Execution } from './execution.ts';
import { recordBridge } from './record-bridge.ts';
import { tenantOf } from './tenant.ts';

/** Runs the prepared program in the sandbox. Rejects when the execution is cancelled, and with errors of the sandbox. */
export async function runProgram(
  { context, settings, program, session, host, journal, redactor, tooManyCalls }: Execution,
  prepared: PreparedSource,
): Promise<GuestOutcome> {
  const { limits, sessionId, signal } = settings;
  signal?.throwIfAborted();
  const bridge = recordBridge(host.bridge, journal, redactor);
  return context.sandbox.run(
    { guest: prepared.guest, code: prepared.code, ...program },
    {
      // A pooled process sends the requests; their logs and traces must belong to this execution.
      bridge: { ...bridge, request: AsyncResource.bind(bridge.request) },
      limits,
      user: session.userId,
      tenant: settings.tenant ?? tenantOf(session.userId, sessionId),
      signal: signal ? AbortSignal.any([signal, tooManyCalls]) : tooManyCalls,
    },
  );
}
