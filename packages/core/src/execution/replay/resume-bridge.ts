import type { BridgeAnswer, GuestBridge, GuestRequest } from '@toolwright/sandbox';
import type { Journal } from '../../journal/journal.ts';
import type { Replies } from './replies.ts';

export interface ResumeBridgeOptions {
  /** The bridge of the execution, which records. It gets the requests without a recorded answer. */
  readonly live: GuestBridge;
  readonly replies: Replies;
  readonly journal: Journal;
  /** The host's bridge, which records nothing. It gets the notices of the past again: they are the logs of the execution. */
  readonly past: GuestBridge;
  /** Called when the program has all recorded answers. */
  readonly onLive: () => void;
  /** Called for each request with a recorded answer. */
  readonly onPast: (request: GuestRequest, answer: BridgeAnswer) => void;
}

/**
 * Returns a bridge for a program that starts again: it gets the recorded answers in the recorded order, and nothing is sent. When it
 * has all of them, its other requests go on, in the order in which it sent them.
 */
export function resumeBridge({ live, replies, journal, past, onLive, onPast }: ResumeBridgeOptions): GuestBridge {
  /** Requests with recorded answers that are not sent yet. */
  const unsent = new Set<number>();
  let hasAll = false;
  let isLive = false;
  let goLive: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    goLive = resolve;
  });
  // A live answer that overtook a recorded one would be recorded in another order than the program received it.
  const look = () => {
    if (!hasAll || unsent.size > 0 || isLive) return;
    isLive = true;
    onLive();
    goLive();
  };
  void replies.all.then(() => {
    hasAll = true;
    look();
  });
  return {
    request(request) {
      const answer = replies.answer(request.id, request.text);
      if (!answer) return isLive ? live.request(request) : gate.then(() => live.request(request));
      unsent.add(request.id);
      return answer.then((given) => {
        onPast(request, given);
        return given;
      });
    },
    sending(id, answer) {
      // The answer that ends the program is not a part of the execution.
      if (replies.difference()) return;
      if (unsent.delete(id)) look();
      else live.sending?.(id, answer);
    },
    notice(payload) {
      if (isLive) return live.notice(payload);
      journal.notice(payload);
      past.notice(payload);
    },
    clock: live.clock,
  };
}
