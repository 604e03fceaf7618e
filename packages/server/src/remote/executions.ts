import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { GuestBridge } from '@toolwright/sandbox';

/** What a sandbox whose guests cannot use a pipe hands to its guest, so that it can call back over HTTP. */
export interface RemoteExecution extends Disposable {
  readonly id: string;
  /** 256 random bits. It opens this execution alone, and nothing any more once the execution has ended. */
  readonly token: string;
}

/** Programs that run where no pipe reaches, and what lets each of them in. */
export interface RemoteExecutions {
  /** Lets a guest in until the returned execution is disposed of, which its sandbox does when the run ends. */
  begin(run: { readonly bridge: GuestBridge; readonly session?: string }): RemoteExecution;
  /**
   * Carries out a request of a guest. `undefined` when the token is not that of a running execution, or the execution or
   * the session that the guest names is another.
   */
  request(
    claim: { readonly token: string; readonly execution: string; readonly session?: string | undefined },
    request: readonly unknown[],
  ): Promise<{ readonly ok: boolean; readonly payload: string } | undefined>;
}

interface Running {
  readonly bridge: GuestBridge;
  readonly session: string | undefined;
  readonly digest: Buffer;
  requests: number;
}

const TOKEN_BYTES = 32;

/** Opens the register; empty until a sandbox begins an execution. */
export function createRemoteExecutions(): RemoteExecutions {
  const running = new Map<string, Running>();
  // What is compared with when there is no such execution, so that this takes the same time.
  const nobody = digestOf(randomBytes(TOKEN_BYTES).toString('base64url'));
  return {
    begin({ bridge, session }) {
      const id = randomUUID();
      const token = randomBytes(TOKEN_BYTES).toString('base64url');
      running.set(id, { bridge, session: session || undefined, digest: digestOf(token), requests: 0 });
      return { id, token, [Symbol.dispose]: () => void running.delete(id) };
    },
    async request({ token, execution, session }, request) {
      const found = running.get(execution);
      const isRight = timingSafeEqual(digestOf(token), found?.digest ?? nobody);
      if (!found || !isRight || (session ?? found.session) !== found.session) return undefined;
      return found.bridge.request(++found.requests, JSON.stringify(request));
    },
  };
}

/** Of one length, whatever a stranger sends. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
