import type { Redactor } from '@toolwright/pii/internal';
import type {
  BridgeAnswer,
  BridgeHost,
  GuestBridge,
  GuestOutcome,
  GuestRequest,
  PreparedSource,
  RunningGuest,
} from '@toolwright/sandbox';
import { authorFrames, exactText, parseExact, toFault } from '@toolwright/sandbox/internal';
import { codeOf } from '@toolwright/storage/internal';
import { ToolwrightError } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import type { RecordedReply } from '../../journal/recording/recording.ts';
import { type StoredPart, wholeAnswer } from '../kept/part.ts';
import { endProgram, shown } from '../replay/replies.ts';
import type { ForkedCall, ForkPoint } from './point.ts';

interface ForkBridgeOptions {
  readonly fork: ForkPoint;
  /** The key of the journals. */
  readonly key: Buffer;
  /** Gets the requests without a recorded answer. */
  readonly live: GuestBridge;
  readonly journal: Journal;
  readonly redactor: Redactor;
  readonly host: BridgeHost;
  /** Reads parts of kept values, of which the journal has only the hash. */
  readonly storedPart?: StoredPart | undefined;
  /** Returns whether a repeated request must change the files again: the fork has files of its own. */
  readonly changesAgain: (payload: string) => boolean;
  /** Called when the program must be stopped: it did not end at the call that differs. */
  readonly onEnd: () => void;
  readonly onDefect: (id: string, error: unknown) => void;
}

/** The bridge of a fork. */
export interface ForkBridge {
  readonly bridge: GuestBridge;
  /** Names the guest. */
  readonly watch: (guest: RunningGuest) => void;
  /** Raises `REPLAY_MISMATCH` if the program made another call than the recorded one, or ended before it made all of them. */
  readonly check: (outcome: GuestOutcome | undefined, prepared: PreparedSource) => void;
}

interface CallDifference {
  readonly call: ForkedCall;
  /** The request of the program; absent if it ended first. */
  readonly actual?: string;
}

/** The recorded answers of a fork, which its program receives in the recorded order. */
interface ForkAnswers {
  /** Returns the first answer that fits and that no request has; undefined if there is none. */
  take(fits: (reply: RecordedReply) => boolean): RecordedReply | undefined;
  /** Resolves when it is the turn of an answer. */
  turn(reply: RecordedReply): Promise<void>;
  /** Names the guest, which knows whether its program only waits. */
  watch(guest: RunningGuest): void;
}

/**
 * Creates the bridge of a fork: the first calls of its program must be the recorded ones, and get the recorded answers. Nothing of
 * them is sent. Other requests get a recorded answer if the program made the same one before. All else goes on.
 */
export function forkBridge(options: ForkBridgeOptions): ForkBridge {
  const { fork, key, live, journal, host, changesAgain, onDefect } = options;
  const answers = createForkAnswers(fork.replies);
  let asked = 0;
  let difference: CallDifference | undefined;

  const repeat = async (
    { id, operation, text }: GuestRequest,
    reply: RecordedReply,
    call?: ForkedCall,
  ): Promise<BridgeAnswer> => {
    begin(journal, id, call);
    await answers.turn(reply);
    const given = await wholeAnswer(text, await answerOf(reply, call, options), options.storedPart);
    end(journal, id, call, given);
    if (!given.ok) host.addFault(id, JSON.parse(given.payload));
    const changed = given.ok && changesAgain(text) ? await live.request({ id, operation, text }) : given;
    return changed.ok ? given : changed;
  };
  const makeCall = (request: GuestRequest): Promise<BridgeAnswer> => {
    const call = fork.calls[asked++];
    if (!call) return live.request(request);
    if (codeOf(key, request.text) !== call.mac) {
      difference = { call, actual: request.text };
      return endProgram(options.onEnd);
    }
    const reply = answers.take((each) => each.request === call.request);
    return reply ? repeat(request, reply, call) : new Promise(() => undefined);
  };
  return {
    bridge: {
      ...live,
      async request(request) {
        if (difference) return new Promise(() => undefined);
        try {
          if (request.operation === 'call') return await makeCall(request);
          const mac = codeOf(key, request.text);
          const isModule = request.id === 0;
          const reply = answers.take((each) => each.mac === mac && (each.request === 0) === isModule);
          return await (reply ? repeat(request, reply) : live.request(request));
        } catch (error) {
          return { ok: false, payload: JSON.stringify(toFault(error, onDefect).fault) };
        }
      },
    },
    watch: answers.watch,
    check(outcome, prepared) {
      const next = outcome?.status === 'completed' ? fork.calls[asked] : undefined;
      const found = difference ?? (next && { call: next });
      if (found) throw mismatch(fork, found, outcome, prepared);
    },
  };
}

function begin(journal: Journal, request: number, call: ForkedCall | undefined): void {
  if (call?.tool === undefined) return;
  const { number, tool, limit } = call;
  journal.begin({ number, request, tool, arguments: exactText(call.arguments), limit });
}

function end(journal: Journal, request: number, call: ForkedCall | undefined, given: BridgeAnswer): void {
  if (call?.tool === undefined) return;
  const { code, message } = given.ok ? {} : JSON.parse(given.payload);
  const result = given.ok ? given.payload : JSON.stringify({ code, message });
  journal.end({ number: call.number, request, ok: given.ok, result });
}

/** Returns the recorded answer, or the given one of the last call, redacted like the result of its tool. */
async function answerOf(
  { ok, payload }: RecordedReply,
  call: ForkedCall | undefined,
  { fork, redactor }: ForkBridgeOptions,
): Promise<BridgeAnswer> {
  if (call === undefined || call.number !== fork.at || !fork.answer) return { ok, payload };
  const [server = ''] = call.tool?.split('__') ?? [];
  const { journalValue } = await redactor.redactResult(fork.answer.value, { server, schema: undefined });
  return { ok: true, payload: exactText(journalValue) };
}

function mismatch(
  { from, at }: ForkPoint,
  { call, actual }: CallDifference,
  outcome: GuestOutcome | undefined,
  prepared: PreparedSource,
): ToolwrightError {
  const stack = actual !== undefined && outcome?.status === 'failed' ? outcome.error.stack : '';
  const position = authorFrames(stack, prepared)[0]?.position;
  const expected =
    call.tool === undefined ? 'a call that was refused' : shown(`${call.tool} ${exactText(call.arguments)}`);
  const now = actual === undefined ? 'the end of the program' : shown(callText(actual));
  const where = position ? ` at line ${position.line}` : '';
  const message = `Call ${call.number}${where} differs from execution ${from}. Recorded: ${expected}. Now: ${now}. The first ${at} calls of a fork must be the recorded ones. Change the program only after them, or fork at call ${call.number - 1}.`;
  return new ToolwrightError('REPLAY_MISMATCH', message, {
    details: { call: call.number, expected, actual: now, ...position },
  });
}

/** Returns a call as the messages show it. */
function callText(payload: string): string {
  const [, tool, args] = parseExact(payload) as readonly unknown[];
  return `${tool} ${exactText(args)}`;
}

/**
 * Creates the answers of a fork. An answer waits for those before it, as long as the program may still ask for them: a changed program
 * may make fewer requests.
 */
function createForkAnswers(replies: readonly RecordedReply[]): ForkAnswers {
  /** Answers that no request has. */
  const free = [...replies];
  /** Answers that are not delivered, in the recorded order. */
  const left = new Set(replies);
  const waiting = new Map<RecordedReply, () => void>();
  let guest: RunningGuest | undefined;
  let looks = 0;

  const release = (reply: RecordedReply) => {
    const resolve = waiting.get(reply);
    waiting.delete(reply);
    left.delete(reply);
    resolve?.();
  };
  const look = () => {
    for (const reply of left) {
      if (!waiting.has(reply)) break;
      release(reply);
    }
    const own = ++looks;
    if (waiting.size === 0) return;
    void guest?.whenIdle().then(() => {
      const next = [...left].find((reply) => waiting.has(reply));
      if (own !== looks || !next) return;
      release(next);
      look();
    });
  };
  return {
    take(fits) {
      const index = free.findIndex(fits);
      return index === -1 ? undefined : free.splice(index, 1)[0];
    },
    turn(reply) {
      if (reply.request === 0) {
        // The program stands still until it has the module.
        left.delete(reply);
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        waiting.set(reply, resolve);
        look();
      });
    },
    watch(running) {
      guest = running;
    },
  };
}
