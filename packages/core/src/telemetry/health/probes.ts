/** A server that is probed while it has failed. */
export interface Probed {
  /** `unknown` while an attempt runs. */
  state(): 'failed' | 'unknown' | 'working';
  /** Connects, and lists the tools where that is necessary. It has no effect at the server. */
  probe(): Promise<void>;
  /** Receives the time of the next probe, in milliseconds of the clock; undefined when none is due. */
  scheduled(atMs: number | undefined): void;
}

/** The options of {@link watchFailures}. */
export interface ProbeOptions {
  /** Returns milliseconds since 1970. Default: the clock of the machine. */
  readonly now?: () => number;
  /** Returns a number from 0 to 1, which spreads probes of many processes. */
  readonly random?: () => number;
}

/** The probes of failed servers. */
export interface Probes extends Disposable {
  /** Looks at all servers once. Resolves when the probes of this look have ended. Never rejects. */
  look(): Promise<void>;
}

/** Milliseconds between two looks. A look sends nothing by itself. */
const LOOK_MS = 2_000;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;

/**
 * Probes failed servers until they work again, so that they recover without a call. The first probe is 5 s after the failure. Later
 * pauses double, up to 5 minutes, with a random variation of 25 %. A working server is no longer probed. Disposing ends the probes.
 */
export function watchFailures(
  servers: () => readonly Probed[],
  { now = Date.now, random = Math.random }: ProbeOptions = {},
): Probes {
  const schedules = new Map<Probed, { readonly failures: number; readonly atMs: number }>();
  const running = new Set<Probed>();
  let isEnded = false;

  function plan(server: Probed, failures: number): void {
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS) * (0.75 + random() / 2);
    const atMs = now() + pauseMs;
    schedules.set(server, { failures, atMs });
    server.scheduled(atMs);
  }

  function forget(server: Probed): void {
    if (schedules.delete(server)) server.scheduled(undefined);
  }

  async function probe(server: Probed, failures: number): Promise<void> {
    running.add(server);
    await server.probe().catch(() => undefined);
    running.delete(server);
    if (server.state() === 'failed') plan(server, failures + 1);
  }

  async function look(): Promise<void> {
    if (isEnded) return;
    const all = servers();
    const due: Promise<void>[] = [];
    for (const server of schedules.keys()) if (!all.includes(server)) forget(server);
    for (const server of all) {
      const schedule = schedules.get(server);
      const state = server.state();
      if (running.has(server) || state === 'unknown') continue;
      if (state === 'working') forget(server);
      else if (schedule === undefined) plan(server, 0);
      else if (schedule.atMs <= now()) due.push(probe(server, schedule.failures));
    }
    await Promise.all(due);
  }

  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return {
    look,
    [Symbol.dispose]() {
      isEnded = true;
      clearInterval(timer);
    },
  };
}
