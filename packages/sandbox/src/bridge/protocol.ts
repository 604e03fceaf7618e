/**
 * The bridge protocol: the frames between a guest and its host, on any transport.
 *
 * A frame is a 4-byte length of the rest of the frame, a 1-byte type, a 4-byte id, and a payload of UTF-8 JSON text.
 * The numbers are big-endian. `guest/` contains the guest's implementation in each language.
 */
export const FrameType = {
  /** host → guest: start this program. */
  run: 1,
  /** guest → host: `[operation, ...parameters]`, answered under the same id. */
  request: 2,
  /** host → guest: the answer to a request. */
  reply: 3,
  /** host → guest: the request failed; the payload is a `BridgeFault`. */
  fault: 4,
  /** guest → host: `[kind, ...]`, never answered (logs, progress). */
  notice: 5,
  /** guest → host: the program ended; the id is a `DoneStatus`, which defines the payload. */
  done: 6,
  /** guest → host: the guest can run a program. */
  ready: 7,
  /** guest → host: readings of the clock since the last frame, `[time, count, …]` with times in milliseconds since the epoch. */
  clock: 8,
  /** host → guest: report when the program only waits for answers; guest → host, with the same id: it does. */
  idle: 9,
  /**
   * host → guest: the milliseconds that the program still has, or `null`: its time stands still. With 0, the guest reports where the
   * program is, and is killed soon. A guest that measures no time ignores the frame.
   */
  time: 10,
  /**
   * guest → host: the place of a tool call, before its request with the same id. The payload is a stack, as in `GuestFailure`. A guest
   * sends it for the first calls of a program only.
   */
  place: 11,
  /**
   * guest → host: this process runs no further program, and the host ends it. If it ended itself, the host could lose its last frames:
   * a failed write to a closed channel also discards unread frames.
   */
  retired: 12,
} as const;

export type FrameType = (typeof FrameType)[keyof typeof FrameType];

/** How a program ended, as the id of its `done` frame. */
export const DoneStatus = {
  /** Payload: the value as JSON text, empty when there is none. */
  completed: 0,
  /** Payload: a `GuestFailure`. */
  failed: 1,
  /** Payload: `{limit, stack}`. */
  stopped: 2,
} as const;

export interface Frame {
  readonly type: FrameType;
  readonly id: number;
  /** JSON text, not parsed yet. */
  readonly payload: string;
}

/** An error that the host sends to the guest. */
export interface BridgeFault {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly details?: unknown;
  /** Ends the program, with its stack at the request. The program cannot catch it. */
  readonly ends?: true;
}

/** How a guest program ended, as the guest reports it. Untrusted. */
export type GuestOutcome =
  | {
      readonly status: 'completed';
      /** JSON text of the value; absent when the program has no result. */
      readonly value?: string;
    }
  | { readonly status: 'failed'; readonly error: GuestFailure }
  | { readonly status: 'stopped'; readonly limit: 'timeout' | 'memory'; readonly stack?: string };

/** An error that ended a guest program, with positions in the program as it ran. Untrusted. */
export interface GuestFailure {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  /** Stable code, if the guest runtime or the bridge set one. */
  readonly code?: string;
  /** Id of the failed request, if the program did not catch the error of a request. */
  readonly request?: number;
}

/** A request of a guest. Its operation is read once, for all parts of the host. */
export interface GuestRequest {
  readonly id: number;
  readonly operation: string;
  /** The JSON text of the request. */
  readonly text: string;
  /** Default: there is space for the answer. */
  readonly room?: Room | undefined;
}

/** The host's answer to a request: the payload is the JSON text of the value, or of a {@link BridgeFault}. */
export interface BridgeAnswer {
  readonly ok: boolean;
  readonly payload: string;
}

/** Returns a promise of space for the answer in the channel to the guest, or nothing when there is space. */
export type Room = () => Promise<void> | undefined;

/** The only interface between a guest and the host: a sandbox passes all messages of its guest to it. Its methods never throw. */
export interface GuestBridge {
  /**
   * Answers one request, as `readRequest` returns it. Its `room` must wait until the guest has read most of the sent answers. Operations
   * wait for it, so that large answers do not fill the host's memory.
   */
  request(request: GuestRequest): Promise<BridgeAnswer>;
  /** Receives one notice, such as a log line. */
  notice(payload: string): void;
  /** Called immediately before an answer is sent. The order of these calls is the order in which the guest receives answers. */
  sending?(id: number, answer: BridgeAnswer): void;
  /** Receives the stack of the program at a tool call, before its request. Untrusted. Default: it is ignored. */
  place?(id: number, stack: string): void;
  /** Receives readings of the guest's clock, as JSON text; see {@link FrameType}. Default: they are ignored. */
  clock?(payload: string): void;
}

/** Reads the operation of a guest's request; see {@link operationOf}. */
export function readRequest(id: number, text: string, room?: Room): GuestRequest {
  return { id, operation: operationOf(text), text, room };
}

/** The start of a request. JSON allows blanks between its parts. */
const HEAD = /^\s*\[\s*"([\w.]{1,40})"\s*(?=[,\]])/;
/** A parameter that is a text. A longer one is no path and no name. */
const TEXT = /,\s*("(?:[^"\\]|\\.){1,4096}")\s*(?=[,\]])/y;

/**
 * Returns the operation of a request by its JSON text, without parsing it; an empty text if there is none. The host refuses a request
 * if its parsed operation is another one. So all parts of the host read the same operation.
 */
export function operationOf(request: string): string {
  return HEAD.exec(request)?.[1] ?? '';
}

/** Returns the first parameters of a request that are texts, at most `count`. */
export function leadingTexts(request: string, count: number): string[] {
  const [head] = HEAD.exec(request) ?? [];
  const texts: string[] = [];
  for (let at = head?.length ?? request.length; texts.length < count; at = TEXT.lastIndex) {
    TEXT.lastIndex = at;
    const text = TEXT.exec(request)?.[1];
    if (text === undefined) break;
    texts.push(JSON.parse(text) as string);
  }
  return texts;
}

/** Returns the server of a tool call; undefined for any other request. */
export function calledServer(request: string): string | undefined {
  if (operationOf(request) !== 'call') return undefined;
  const [tool = ''] = leadingTexts(request, 1);
  const end = tool.indexOf('__', 1);
  return end < 0 ? undefined : tool.slice(0, end);
}
