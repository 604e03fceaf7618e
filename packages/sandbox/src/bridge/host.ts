import { messageOf, SandboxError } from '../errors.ts';
import { createFaultMemory, type KnownFault, toFault } from './faults.ts';
import { parseGuestJson } from './json.ts';
import { safeListener } from './listener.ts';
import { createGuestLog, type LogLine } from './log.ts';
import type { GuestBridge } from './protocol.ts';
import { createSlots } from './slots.ts';
import { createTurns } from './turns.ts';

/** One operation of the host. Parameters are whatever the guest sent; the result becomes JSON. */
export type Operation = (...parameters: readonly unknown[]) => Promise<unknown>;

/** What a guest may ask of its host, beside waiting. */
export interface BridgeOperations {
  /** Makes one tool call, once `room` says that there is room for its answer; resolves to the result as JSON text. */
  call(tool: string, args: Readonly<Record<string, unknown>>, room: () => Promise<void>): Promise<string>;
  /** File operations by name; at most 4 run at once. */
  readonly files?: Readonly<Record<string, Operation>>;
  /** Operations by name that may wait for a server or open files, such as a search; at most 16 run at once. */
  readonly lookups?: Readonly<Record<string, Operation>>;
}

/** The limits that the bridge enforces. */
export interface BridgeLimits {
  /** Bytes of one message of the guest. */
  readonly messageBytes: number;
  /** Levels of nesting of one message. */
  readonly depth: number;
  /** Bytes of log lines that are kept. */
  readonly logBytes: number;
  /** Milliseconds that the program may run: no timer is longer. */
  readonly timeoutMs: number;
}

export interface BridgeHostOptions {
  readonly operations: BridgeOperations;
  readonly limits: BridgeLimits;
  readonly onLog?: ((line: LogLine) => void) | undefined;
  readonly onProgress?: ((value: unknown) => void) | undefined;
  /** Receives defects, which the guest sees as an id only; of a listener that throws, the id is its name. */
  readonly onDefect: (id: string, error: unknown) => void;
}

/** The host's side of one execution's bridge, and what it saw. */
export interface BridgeHost {
  readonly bridge: GuestBridge;
  readonly logs: readonly LogLine[];
  droppedLogBytes(): number;
  /** The fault that answered a request, if one did: the last 10,000 are known. */
  faultOf(request: number): KnownFault | undefined;
  /** Adds a line of the host to the log of the execution. */
  warn(text: string): void;
  /** Ends everything in flight; answers that come later go nowhere. */
  close(): void;
}

/** Requests that may wait for an answer at once, timers included. */
const MAX_PENDING = 20_000;
/** Bytes of memory that requests may take while they wait, about. */
const MAX_PENDING_BYTES = 128 * 1024 * 1024;
const PARALLEL_FILES = 4;
const PARALLEL_LOOKUPS = 16;
/** Milliseconds for which one guest may keep the event loop. */
const MAX_TURN_MS = 10;
const MAX_FAULTS = 10_000;
/** A listener may take long for each. */
const MAX_PROGRESS_CHARACTERS = 16 * 1024;

/** Answers a guest: the one place where its requests become operations of the host. */
export function createBridgeHost({ operations, limits, onDefect, ...options }: BridgeHostOptions): BridgeHost {
  const onProgress = safeListener('onProgress', options.onProgress, onDefect);
  const log = createGuestLog(limits.logBytes, safeListener('onLog', options.onLog, onDefect));
  const faults = createFaultMemory(MAX_FAULTS);
  const timers = createTimers(limits.timeoutMs + 1_000);
  const turn = createTurns(MAX_TURN_MS);
  const groups = [
    { operations: operations.files ?? {}, slots: createSlots(PARALLEL_FILES) },
    { operations: operations.lookups ?? {}, slots: createSlots(PARALLEL_LOOKUPS) },
  ];
  const admit = createAdmission();
  let closed = false;

  const read = (payload: string) => parseGuestJson(payload, { bytes: limits.messageBytes, depth: limits.depth });
  const answer = async (request: unknown, room: () => Promise<void>): Promise<string> => {
    if (!Array.isArray(request)) throw new SandboxError('BRIDGE_PROTOCOL', 'A request is a list.');
    const [operation, ...parameters]: unknown[] = request;
    if (operation === 'call') {
      const [tool, args] = parameters;
      return operations.call(requireText(tool, 'a tool has a name'), requireRecord(args), room);
    }
    if (operation === 'sleep') return timers.sleep(parameters[0]);
    const name = typeof operation === 'string' ? operation : '';
    const group = groups.find((candidate) => Object.hasOwn(candidate.operations, name));
    const run = group?.operations[name];
    if (!group || !run) throw new SandboxError('BRIDGE_PROTOCOL', 'The bridge has no such operation.');
    return group.slots.run(async () => {
      await room();
      if (closed) throw new SandboxError('CLOSED', 'The execution has ended.');
      return JSON.stringify((await run(...parameters)) ?? null);
    });
  };

  return {
    bridge: {
      async request(id, payload, room = noWait) {
        const paced = async () => {
          await room();
          await turn();
        };
        try {
          if (closed) throw new SandboxError('CLOSED', 'The execution has ended.');
          return {
            ok: true,
            payload: await admit(
              () => read(payload),
              (message) => answer(message, paced),
            ),
          };
        } catch (error) {
          const { code, fault } = toFault(error, onDefect);
          faults.add(id, { code, message: fault.message });
          return { ok: false, payload: JSON.stringify(fault) };
        }
      },
      notice(payload) {
        if (closed) return;
        try {
          const { value: notice } = read(payload);
          if (!Array.isArray(notice)) return;
          if (notice[0] === 'log') log.add(notice[1], notice[2]);
          else if (notice[0] !== 'progress') return;
          else if (payload.length <= MAX_PROGRESS_CHARACTERS) onProgress(notice[1]);
          else
            log.add(
              'warn',
              `A progress value of ${payload.length} characters was dropped, ${MAX_PROGRESS_CHARACTERS} are the most.`,
            );
        } catch (error) {
          log.add('warn', `A log line was dropped: ${messageOf(error)}`);
        }
      },
    },
    logs: log.lines,
    droppedLogBytes: log.dropped,
    warn: (text) => log.add('warn', text),
    faultOf: (request) => faults.get(request),
    close() {
      closed = true;
      for (const { slots } of groups) slots.close();
      timers.clear();
    },
  };
}

/** Bounds the requests that wait at once, by their number and by the memory that they take. Raises `BUSY`. */
function createAdmission() {
  let pending = 0;
  let pendingBytes = 0;
  return async (
    read: () => { readonly value: unknown; readonly bytes: number },
    work: (message: unknown) => Promise<string>,
  ): Promise<string> => {
    pending++;
    let bytes = 0;
    try {
      if (pending > MAX_PENDING) {
        throw new SandboxError('BUSY', `More than ${MAX_PENDING} requests wait at once. Await some before more.`);
      }
      const message = read();
      if (pending > 1 && pendingBytes + message.bytes > MAX_PENDING_BYTES) {
        const text = `Requests of more than ${MAX_PENDING_BYTES} bytes wait at once. Await some before more.`;
        throw new SandboxError('BUSY', text);
      }
      bytes = message.bytes;
      pendingBytes += bytes;
      return await work(message.value);
    } finally {
      pending--;
      pendingBytes -= bytes;
    }
  };
}

function createTimers(maxMs: number) {
  const timers = new Set<NodeJS.Timeout>();
  return {
    /** Resolves to the JSON text `null` after the time that the guest asked for. */
    sleep: (milliseconds: unknown): Promise<string> =>
      new Promise((resolve) => {
        const delay = Math.min(typeof milliseconds === 'number' ? Math.max(0, milliseconds) : 0, maxMs);
        const timer = setTimeout(() => {
          timers.delete(timer);
          resolve('null');
        }, delay);
        timers.add(timer);
      }),
    clear() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Returns a parameter that has to be text. Raises `INVALID_ARGUMENTS` with the message for anything else. */
export function requireText(value: unknown, message: string): string {
  if (typeof value === 'string') return value;
  throw new SandboxError('INVALID_ARGUMENTS', `${message}, got ${value === null ? 'null' : typeof value}.`);
}

function requireRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new SandboxError('INVALID_ARGUMENTS', 'A tool takes one object of arguments.');
}

async function noWait(): Promise<void> {}
