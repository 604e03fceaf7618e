import type { Redactor } from '@toolwright/pii/internal';
import type { BridgeAnswer, GuestBridge } from '@toolwright/sandbox';
import { ENGINE_REQUESTS } from '@toolwright/sandbox/internal';
import type { Journal } from '../journal/journal.ts';

/** Returns a bridge that records in the journal everything that the guest receives, in the order in which it is delivered. */
export function recordBridge(
  bridge: GuestBridge,
  journal: Pick<Journal, 'ask' | 'deliver' | 'readClock' | 'notice' | 'refuseReplay'>,
  redactor: Pick<Redactor, 'givesValues' | 'redactForJournal'>,
): GuestBridge {
  const { givesValues } = redactor;
  return {
    async request(id, payload, room) {
      if (id >= ENGINE_REQUESTS) return bridge.request(id, payload, room);
      journal.ask(id, payload, givesValues);
      const answer = await bridge.request(id, payload, room);
      const redacted = givesValues ? await redactedText(answer, redactor).catch(() => undefined) : answer.payload;
      // From here to the channel, every answer takes the same number of steps: the order of the journal is that of the guest.
      if (redacted === undefined) journal.refuseReplay('an answer could not be redacted');
      else journal.deliver(id, answer, redacted);
      return answer;
    },
    notice(payload) {
      journal.notice(payload);
      bridge.notice(payload);
    },
    clock: journal.readClock,
  };
}

async function redactedText({ payload }: BridgeAnswer, redactor: Pick<Redactor, 'redactForJournal'>): Promise<string> {
  return JSON.stringify(await redactor.redactForJournal(JSON.parse(payload)));
}
