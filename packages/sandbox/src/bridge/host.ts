import { messageOf, SandboxError } from '../errors.ts';
import { checkParameters } from '../guest-api.ts';
import { createAdmission, createSlots, createTurns, type Slots } from './bounds.ts';
import { exactText } from './exact-json.ts';
import { createFaultMemory, type KnownFault, safeListener, toFault } from './faults.ts';
import { type GuestMessage, parseGuestJson } from './json.ts';
import { createGuestLog, type LogLine } from './log.ts';
import type { GuestBridge, GuestRequest, Room } from './protocol.ts';

/** One operation of the host. Its parameters come unchecked from the guest; its result is sent as JSON. */
export type Operation = (...parameters: readonly unknown[]) => Promise<unknown>;

/** The operations that a host offers to its guest, in addition to timers. */
export interface BridgeOperations {
  /**
   * Makes one tool call and resolves to the result as JSON text. Await `room()` first.
   */
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    room: Room,
    /** Id of the guest's request. */
    request: number,
    /** The program wants the whole result instead of its data. */
    isRaw?: boolean,
  ): Promise<string>;
  /** Waits. `request` is the id of the guest's request. Default: a timer, at most as long as the time limit. */
  sleep?(milliseconds: unknown, request: number): Promise<void>;
  /** Returns file operations by name, at their first use; at most 4 run in parallel. */
  readonly files?: () => Readonly<Record<string, Operation>>;
  /** Returns operations by name that may wait for a server or open files, such as a search; at most 16 run in parallel. */
  readonly lookups?: () => Readonly<Record<string, Operation>>;
}

/** The limits that the bridge enforces. All are required. */
export interface BridgeLimits {
  /** Bytes of one message from the guest. */
  readonly messageBytes: number;
  /** Levels of nesting of one message. */
  readonly depth: number;
  /** Bytes of log lines that are kept; further lines are dropped and counted. */
  readonly logBytes: number;
  /** Milliseconds that the program may run. It bounds the timers of the guest. */
  readonly timeoutMs: number;
}

export interface BridgeHostOptions {
  readonly operations: BridgeOperations;
  readonly limits: BridgeLimits;
  readonly onLog?: ((line: LogLine) => void) | undefined;
  readonly onProgress?: ((value: unknown) => void) | undefined;
  /** Receives each defect of the host. The guest sees only the id. For a listener that throws, the id is its name. */
  readonly onDefect: (id: string, error: unknown) => void;
}

/** The host's end of one execution's bridge, with the logs and faults that it recorded. */
export interface BridgeHost {
  readonly bridge: GuestBridge;
  readonly logs: readonly LogLine[];
  droppedLogBytes(): number;
  /** Returns the fault that answered a request. The last 10,000 faults are kept. */
  faultOf(request: number): KnownFault | undefined;
  /** Adds the fault that answered a request before the execution was continued. */
  addFault(request: number, fault: KnownFault): void;
  /** Adds a warning of the host to the log of the execution. */
  warn(text: string): void;
  /** Adds an information of the host to the log of the execution. */
  inform(text: string): void;
  /** Refuses further requests and cancels timers and queued operations. Later answers are discarded. */
  close(): void;
}

const PARALLEL_FILES = 4;
const PARALLEL_LOOKUPS = 16;
/** Milliseconds for which one guest may occupy the event loop. */
const MAX_TURN_MS = 10;
const MAX_FAULTS = 10_000;
/** Bounds the cost of a slow `onProgress` listener. */
const MAX_PROGRESS_CHARACTERS = 16 * 1024;
/** The start of a progress report, which our guests write so. A long one is not parsed. */
const PROGRESS = /^\["progress",/;
/** Characters of an unknown operation's name in the error message. */
const MAX_NAME_CHARACTERS = 100;

/** The timers of one guest. */
interface GuestTimers {
  /** Resolves to the JSON text `null` after the requested time. */
  sleep(milliseconds: unknown): Promise<string>;
  clear(): void;
}

/** Creates the host's end of one execution's bridge: the only code that turns requests of a guest into operations. */
export function createBridgeHost({ operations, limits, onDefect, ...options }: BridgeHostOptions): BridgeHost {
  const log = createGuestLog(limits.logBytes, safeListener('onLog', options.onLog, onDefect));
  const onProgress = safeListener('onProgress', options.onProgress, onDefect);
  const faults = createFaultMemory(MAX_FAULTS);
  const turn = createTurns(MAX_TURN_MS);
  const admission = createAdmission();
  const dispatcher = createDispatcher(operations, limits.timeoutMs + 1_000);
  let closed = false;

  const bounds = { bytes: limits.messageBytes, depth: limits.depth };
  return {
    bridge: {
      async request(request) {
        const { id, text, room = noWait } = request;
        const paced = () => room()?.then(turn) ?? turn();
        let admitted: GuestMessage | undefined;
        try {
          if (closed) throw executionEnded();
          admission.check();
          admitted = admission.enter(parseGuestJson(text, bounds));
          return { ok: true, payload: await dispatcher.answer(request, admitted.value, paced) };
        } catch (error) {
          const { code, fault } = toFault(error, onDefect);
          faults.add(id, { code, message: fault.message });
          return { ok: false, payload: JSON.stringify(fault) };
        } finally {
          if (admitted) admission.leave(admitted);
        }
      },
      notice(payload) {
        if (closed) return;
        if (payload.length > MAX_PROGRESS_CHARACTERS && PROGRESS.test(payload)) {
          return log.add('warn', progressTooLong(payload.length));
        }
        try {
          const { value: notice } = parseGuestJson(payload, bounds);
          if (!Array.isArray(notice)) return;
          if (notice[0] === 'log') log.add(notice[1], notice[2]);
          else if (notice[0] === 'progress' && payload.length <= MAX_PROGRESS_CHARACTERS) onProgress(notice[1]);
        } catch (error) {
          log.add('warn', `A log line was dropped: ${messageOf(error)}`);
        }
      },
    },
    logs: log.lines,
    droppedLogBytes: log.dropped,
    warn: (text) => log.add('warn', text),
    inform: (text) => log.add('info', text),
    faultOf: (request) => faults.get(request),
    addFault: (request, fault) => faults.add(request, fault),
    close() {
      closed = true;
      dispatcher.close();
    },
  };
}

interface OperationGroup {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly slots: Slots;
}

/** Runs the operation that a request names, and bounds how many operations of a group run in parallel. */
function createDispatcher(operations: BridgeOperations, maxTimerMs: number) {
  let timers: GuestTimers | undefined;
  let groups: readonly OperationGroup[] | undefined;
  let closed = false;
  return {
    /** Answers a request. `message` is its parsed text, which must name the operation that all other parts of the host read in it. */
    answer({ id, operation: name }: GuestRequest, message: unknown, room: Room): Promise<string> {
      if (!Array.isArray(message)) throw new SandboxError('BRIDGE_PROTOCOL', 'A request must be an array.');
      const [operation, ...parameters]: unknown[] = message;
      if (operation !== name) throw unknownOperation(typeof operation === 'string' ? operation : '');
      if (operation === 'call') {
        const [tool, args, form] = parameters;
        const toolName = requireText(tool, 'The name of a tool must be a string');
        return operations.call(toolName, requireRecord(args), room, id, form === 'raw');
      }
      if (operation === 'sleep') {
        checkParameters('sleep', parameters);
        if (operations.sleep) return operations.sleep(parameters[0], id).then(() => 'null');
        timers ??= createTimers(maxTimerMs);
        return timers.sleep(parameters[0]);
      }
      groups ??= groupsOf(operations);
      const group = groups.find((candidate) => Object.hasOwn(candidate.operations, name));
      const run = group?.operations[name];
      if (!group || !run) throw unknownOperation(name);
      checkParameters(name, parameters);
      return group.slots.run(async () => {
        await room();
        if (closed) throw executionEnded();
        return exactText((await run(...parameters)) ?? null);
      });
    },
    close() {
      closed = true;
      for (const { slots } of groups ?? []) slots.close();
      timers?.clear();
    },
  };
}

function groupsOf({ files, lookups }: BridgeOperations): OperationGroup[] {
  return [
    { operations: files?.() ?? {}, slots: createSlots(PARALLEL_FILES) },
    { operations: lookups?.() ?? {}, slots: createSlots(PARALLEL_LOOKUPS) },
  ];
}

function unknownOperation(name: string): SandboxError {
  return new SandboxError('BRIDGE_PROTOCOL', `The host has no operation "${name.slice(0, MAX_NAME_CHARACTERS)}".`);
}

function executionEnded(): SandboxError {
  return new SandboxError('CLOSED', 'The execution has ended.');
}

function progressTooLong(length: number): string {
  return `A progress value was dropped: it has ${length} characters, the limit is ${MAX_PROGRESS_CHARACTERS}.`;
}

/** Returns a parameter that must be a string. Raises `INVALID_ARGUMENTS` with the message for any other type. */
export function requireText(value: unknown, message: string): string {
  if (typeof value === 'string') return value;
  throw new SandboxError('INVALID_ARGUMENTS', `${message}, got ${value === null ? 'null' : typeof value}.`);
}

function requireRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new SandboxError('INVALID_ARGUMENTS', 'The arguments of a tool must be one object.');
}

const noWait: Room = () => undefined;

/** Creates the timers of one guest; none is longer than `maxMs` milliseconds. */
function createTimers(maxMs: number): GuestTimers {
  const timers = new Set<NodeJS.Timeout>();
  return {
    sleep: (milliseconds) =>
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
