import { randomUUID } from 'node:crypto';
import { SandboxError, type SandboxErrorCode } from '../../errors.ts';
import type { GuestCarrier, ProcessEnd } from '../guest-process.ts';
import { createAttachment } from './attachment.ts';
import { diagnose } from './diagnosis.ts';
import type { Engine } from './engine.ts';

export interface ContainerOptions {
  readonly image: string;
  /** Returns the configuration for the engine's API. */
  config(engine: Engine): object;
}

/** Starts a container as the carrier of a guest. The container is removed when it ends or does not start. */
export function startContainer(connect: () => Promise<Engine>, { image, config }: ContainerOptions): GuestCarrier {
  const { stream, connect: attach } = createAttachment();
  const name = `toolwright-${randomUUID()}`;
  let remove: (() => void) | undefined;
  let killed = false;
  let started = false;
  let engine: Engine | undefined;
  const stopIfKilled = () => {
    if (killed) throw new Error('The container was killed before it started.');
  };
  const live = async (): Promise<ProcessEnd> => {
    engine = await connect();
    const { call } = engine;
    stopIfKilled();
    await call('POST', '/containers/create', { query: { name }, body: config(engine) });
    remove = () => void call('DELETE', `/containers/${name}`, { query: REMOVAL }).catch(() => undefined);
    stopIfKilled();
    // Waits from before the start: a container that ends at once is removed at once.
    const exit = engine.wait(`/containers/${name}/wait`, { condition: 'next-exit' });
    exit.catch(() => undefined);
    attach(await engine.hijack(`/containers/${name}/attach`, STREAMS));
    await call('POST', `/containers/${name}/start`);
    started = true;
    stopIfKilled();
    return { code: exitCode(await exit), signal: null };
  };

  const ended = live().catch((thrown: unknown): ProcessEnd => {
    remove?.();
    stream.destroy();
    if (killed) return KILLED;
    const { reason, fix } = diagnose(thrown, image, engine?.command);
    const code: SandboxErrorCode = started ? 'SANDBOX_LOST' : 'SANDBOX_UNAVAILABLE';
    const message = started
      ? `The container engine stopped answering while a program ran: ${reason}. The journal shows whether its last calls were made.`
      : `The sandbox "docker" is not available: ${reason} (${fix}).`;
    return { ...KILLED, error: new SandboxError(code, message, { cause: thrown }) };
  });

  return {
    stream,
    kill() {
      if (killed) return;
      killed = true;
      remove?.();
    },
    ended,
  };
}

const STREAMS = { stream: '1', stdin: '1', stdout: '1' };
const REMOVAL = { force: '1', v: '1' };
const KILLED: ProcessEnd = { code: null, signal: 'SIGKILL' };

function exitCode(answer: unknown): number | null {
  const { StatusCode: code } = Object(answer);
  return typeof code === 'number' ? code : null;
}
