import type { Redactor } from '@toolwright/pii/internal';
import type { BridgeAnswer, GuestBridge } from '@toolwright/sandbox';
import { exactText, operationOf, parseExact } from '@toolwright/sandbox/internal';
import type { Journal } from '../../journal/journal.ts';
import type { KeptValues } from '../kept/kept-values.ts';
import { recordedPart } from '../kept/part.ts';
import type { Waits } from '../questions/waits.ts';

/** The notice of a program that depends on more than the recorded answers. */
const UNRECORDED = /^\["unrecorded", ?"([a-z ]{1,100})"\]$/;

/** Returns a bridge that records in the journal everything that the guest receives, in the order in which it is delivered. */
export function recordBridge(
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
    async request(id, payload, room) {
      journal.receive(id, payload, givesValues);
      waits.received();
      const endCall = operationOf(payload) === 'call' ? waits.beginCall() : undefined;
      // A bridge never rejects.
      const answer = await bridge.request(id, payload, room);
      endCall?.();
      const recorded = recordedPart(payload, answer.payload, kept);
      if (recorded !== answer.payload) short.set(answer, recorded);
      else if (givesValues) redacted.set(answer, await redactedText(payload, answer, redactor).catch(() => undefined));
      return answer;
    },
    sending(id, answer) {
      waits.answered();
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

async function redactedText(request: string, { payload }: BridgeAnswer, redactor: Redactor): Promise<string> {
  const answer = parseExact(payload);
  const operation = operationOf(request);
  // Base64, as the content of a resource: binary files are not searched.
  const content = async (blob: unknown) => blob && (await redactor.redactForJournal({ uri: '', blob })).blob;
  if (operation === 'fs.readBytes') return JSON.stringify(await content(answer));
  if (operation === 'fs.readMany') return JSON.stringify(await Promise.all((answer as unknown[]).map(content)));
  // A value may begin in one part and end in the next.
  if (operation === 'fs.readPart') throw new Error('A part of a file cannot be redacted.');
  return exactText(await redactor.redactForJournal(answer));
}
