import { AsyncResource } from 'node:async_hooks';
import type { Redactor } from '@toolwright/pii/internal';
import type { BridgeAnswer, GuestBridge, GuestOutcome, GuestRequest, PreparedSource } from '@toolwright/sandbox';
import { authorFrames, exactText, parseExact } from '@toolwright/sandbox/internal';
import { dataFolder, journalKey } from '@toolwright/storage/internal';
import type { Journal } from '../journal/journal.ts';
import { tenantOf } from './contexts.ts';
import type { Earlier, Execution } from './execution.ts';
import { firstAbort } from './first-abort.ts';
import { type ForkBridge, forkBridge } from './fork/bridge.ts';
import type { ForkPoint } from './fork/point.ts';
import type { KeptValues } from './kept/kept-values.ts';
import { MAX_RECORDED_CHARACTERS, recordedPart, type StoredPart } from './kept/part.ts';
import { isShown } from './media/media.ts';
import type { Waits } from './questions/waits.ts';
import { recordFileChanges } from './replay/file-changes.ts';
import { changedPaths, changesSkills, createPastChanges } from './replay/past-changes.ts';
import { replayMismatch } from './replay/replay.ts';
import { createReplies, placed } from './replay/replies.ts';
import { resumeBridge } from './replay/resume-bridge.ts';

/** Calls whose lines are noted. Guests send as many. */
const MAX_PLACES = 20;
const MAX_PLACE_CHARACTERS = 4_096;

/** The notice of a program that depends on more than the recorded answers. */
const UNRECORDED = /^\["unrecorded", ?"([a-z ]{1,100})"\]$/;

/**
 * Runs the prepared program in the sandbox. Rejects when the execution is cancelled or suspended, and with errors of the sandbox.
 * Raises `REPLAY_MISMATCH` for a continued execution whose program does something else than before.
 */
export async function runProgram(execution: Execution, prepared: PreparedSource): Promise<GuestOutcome> {
  const { context, settings, program, session, host, journal, redactor, suspension, tooManyCalls, strayed } = execution;
  const { limits, sessionId, signal } = settings;
  signal?.throwIfAborted();
  const changing = recordFileChanges({
    bridge: host.bridge,
    journal,
    files: () => execution.guestFiles().files,
    earlier: execution.earlier?.recording.changes ?? new Map(),
    pastChanges: session.pastChanges,
    onDefect: context.onDefect,
  });
  const forked = settings.fork && forkOf(execution, settings.fork, changing);
  const live = recordBridge(forked?.bridge ?? changing, journal, redactor, suspension.waits, execution.kept);
  const resumed = execution.earlier && continued(execution, execution.earlier, live, prepared);
  const differs = resumed?.differs ?? forked?.differs;
  const traced = execution.trace.of(resumed?.bridge ?? live);
  const signals = [signal, tooManyCalls, strayed, suspension.signal, differs].filter((each) => each !== undefined);
  const first = firstAbort(signals);
  // A pooled process sends the requests; their logs and traces must belong to this execution. `AsyncResource.bind` would keep
  // the execution in memory until V8 collects its whole heap.
  const own = new AsyncResource('toolwright.execution');
  const outcome = await context.sandbox
    .run(
      { guest: prepared.guest, code: prepared.code, ...program },
      {
        bridge: {
          ...traced,
          request: (request) => own.runInAsyncScope(traced.request, undefined, request),
          // Kept values are no part of the replay: a pickle is not the same text each time.
          notice: (payload) => void (execution.kept.receive(payload) || traced.notice(payload)),
          place: notePlaces(prepared, journal),
        },
        limits,
        ranMs: execution.earlier?.recording.ranMs ?? 0,
        pauses: suspension.pauses,
        onGuest(guest) {
          suspension.waits.watch(guest);
          forked?.watch(guest);
        },
        user: session.userId,
        tenant: settings.tenant ?? tenantOf(session.userId, sessionId),
        signal: first.signal,
      },
    )
    .catch((error: unknown) => {
      resumed?.check();
      forked?.check(undefined, prepared);
      throw error;
    })
    .finally(() => first[Symbol.dispose]());
  resumed?.check(outcome);
  forked?.check(outcome, prepared);
  await resumed?.ended();
  strayed.throwIfAborted();
  return outcome;
}

/** Returns the bridge of a fork. */
function forkOf(
  execution: Execution,
  fork: ForkPoint,
  live: GuestBridge,
): ForkBridge & { readonly differs: AbortSignal } {
  const { context, settings, journal, redactor, host } = execution;
  const { sessionId } = settings;
  const different = new AbortController();
  const bridge = forkBridge({
    fork,
    live,
    journal,
    redactor,
    host,
    storedPart: storedPart(execution),
    key: journalKey(dataFolder(context.dataDir).journalKey),
    changesAgain: (payload) =>
      // Each execution has its own images.
      isShown(payload) || (sessionId === undefined ? changedPaths(payload).length > 0 : changesSkills(payload)),
    onEnd: () => different.abort(),
    onDefect: context.onDefect,
  });
  return { ...bridge, differs: different.signal };
}

/** Returns the function that reads a part of a kept value again, whose journal has only its hash. */
function storedPart({ kept }: Execution): StoredPart {
  return async (hash, at) => JSON.stringify(await kept.operations.keptValue?.(hash, at));
}

/** Returns a function that notes the lines of the first calls. A hostile guest may send any number of stacks, of any length. */
function notePlaces(prepared: PreparedSource, journal: Journal): (id: number, stack: string) => void {
  let places = 0;
  return (id, stack) => {
    if (places++ >= MAX_PLACES) return;
    const [frame] = authorFrames(stack.slice(0, MAX_PLACE_CHARACTERS), prepared);
    if (frame) journal.place(id, frame.position.line);
  };
}

interface Continued {
  readonly bridge: GuestBridge;
  /** Raises `REPLAY_MISMATCH` if the program did something else than before. */
  readonly check: (outcome?: GuestOutcome) => void;
  /** Resolves when the changes of the past are made. */
  readonly ended: () => Promise<void>;
  readonly differs: AbortSignal;
}

/** Returns the bridge of an execution that is continued. */
function continued(execution: Execution, earlier: Earlier, live: GuestBridge, prepared: PreparedSource): Continued {
  const { context, session, host, journal, suspension } = execution;
  const different = new AbortController();
  const key = journalKey(dataFolder(context.dataDir).journalKey);
  const replies = createReplies(earlier.recording, key, () => different.abort(), storedPart(execution));
  const changes = createPastChanges({
    bridge: host.bridge,
    note: (path) => execution.guestFiles().noteChange(path),
    isApplied: session.pastChanges?.isApplied,
  });
  const bridge = resumeBridge({
    live: { ...live, request: (request) => changes.ended().then(() => live.request(request)) },
    replies,
    journal,
    past: host.bridge,
    onLive: suspension.goLive,
    onPast(request, { ok, payload }) {
      if (ok) {
        execution.guestFiles().media.past(request.text, payload);
        return changes.add(request);
      }
      const { code, message } = JSON.parse(payload);
      host.addFault(request.id, { code, message });
    },
  });
  return {
    bridge,
    ended: changes.ended,
    differs: different.signal,
    check(outcome) {
      const difference = replies.difference() ?? (outcome?.status === 'completed' ? replies.missing() : undefined);
      if (difference) throw replayMismatch(earlier.recording.start.id, placed(difference, outcome, prepared));
    },
  };
}

/** Returns a bridge that records in the journal everything that the guest receives, in the order in which it is delivered. */
function recordBridge(
  bridge: GuestBridge,
  journal: Journal,
  redactor: Redactor,
  waits: Waits,
  kept?: KeptValues,
): GuestBridge {
  const { givesValues } = redactor;
  const redacted = new WeakMap<BridgeAnswer, string | undefined>();
  /** Answers of which the journal has only the hash, in the request. */
  const short = new WeakMap<BridgeAnswer, string>();
  return {
    async request(request) {
      journal.receive(request, givesValues);
      waits.look(1);
      const endCall = request.operation === 'call' ? waits.beginCall() : undefined;
      // A bridge never rejects.
      const answer = await bridge.request(request);
      endCall?.();
      const isLong = answer.payload.length > MAX_RECORDED_CHARACTERS;
      const recorded = isLong ? recordedPart(request.text, answer.payload, kept) : answer.payload;
      if (recorded !== answer.payload) short.set(answer, recorded);
      else if (givesValues) redacted.set(answer, await redactedText(request, answer, redactor).catch(() => undefined));
      return answer;
    },
    sending(id, answer) {
      waits.look(-1);
      const text = short.get(answer) ?? (givesValues ? redacted.get(answer) : answer.payload);
      if (text === undefined) journal.refuseReplay('an answer could not be redacted');
      else journal.deliver(id, short.has(answer) ? { ...answer, payload: text } : answer, text);
    },
    notice(payload) {
      const reason = UNRECORDED.exec(payload)?.[1];
      if (reason !== undefined) return journal.refuseReplay(reason);
      journal.notice(payload);
      bridge.notice(payload);
    },
    clock: journal.readClock,
  };
}

async function redactedText(
  { operation }: GuestRequest,
  { payload }: BridgeAnswer,
  redactor: Redactor,
): Promise<string> {
  const answer = parseExact(payload);
  // Base64, as the content of a resource: binary files are not searched.
  const content = async (blob: unknown) => blob && (await redactor.redactForJournal({ uri: '', blob })).blob;
  if (operation === 'fs.readBytes') return JSON.stringify(await content(answer));
  if (operation === 'fs.readMany') return JSON.stringify(await Promise.all((answer as unknown[]).map(content)));
  // A value may begin in one part and end in the next.
  if (operation === 'fs.readPart') throw new Error('A part of a file cannot be redacted.');
  return exactText(await redactor.redactForJournal(answer));
}
