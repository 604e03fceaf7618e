import { exactText } from '@toolwright/sandbox/internal';
import type { BegunCall } from '../journal/call-record.ts';
import type { PauseEntry } from '../journal/entries.ts';
import type { LimitedCall, ToolCallContext } from './call.ts';
import type { RedactedError } from './redaction/redact.ts';

/** The journal entries of one call. Its methods raise the reason of the signal after the execution has ended. */
export interface CallEntries {
  /** Writes the call, with the key of the limit that it uses, its plan in a dry run, and the origins of its arguments. Raises `JOURNAL_FULL`. */
  begin(more?: CallMore): Promise<void> | undefined;
  /**
   * Writes that the server has ended the call without a result, for lack of an answer or a login: nothing of it is under way. An
   * execution that is continued sends it again with this state. Raises `JOURNAL_FULL`.
   */
  pause(state?: unknown, reason?: PauseEntry['reason']): void;
  /** Writes that the call is sent again, before it is. */
  resend(): Promise<void>;
  /** Writes the JSON text of the result, or of the error of a call that has begun. Raises `JOURNAL_FULL`. */
  end(text: string, ok?: boolean): void;
  /** Writes the error, after the call itself if `begin` has not written it: refused calls are journalled too. */
  fail(error: RedactedError): Promise<void>;
}

/** The members of a call's entry that its stages know. */
type CallMore = Pick<BegunCall, 'limit' | 'plan' | 'origins'>;

/** Opens the journal entries of one call. Writes nothing yet. */
export function openEntries(
  { number, request, tool, args, argumentText, earlier }: LimitedCall,
  { journal, redactor, signal, beforeCall }: ToolCallContext,
): CallEntries {
  /** `null` before the call is written. */
  let begun: Promise<void> | undefined | null = earlier?.isSent ? undefined : null;
  const write = (name: string, text: string, { limit, plan, origins }: CallMore) => {
    // The file of the journal is closed when the execution ends.
    signal.throwIfAborted();
    beforeCall?.();
    const begun = journal.begin({ number, request, tool: name, arguments: text, limit, plan, origins }, true);
    return (begun ? begun.then(journal.flushed) : journal.flushed())?.then(() => signal.throwIfAborted());
  };
  const writeRedacted = async (more: CallMore) => {
    const redacted = await redactor.redactForJournal({ tool, args });
    await write(redacted.tool, redacted.args === args ? argumentText : exactText(redacted.args), more);
  };
  const entries: CallEntries = {
    begin(more = {}) {
      if (begun !== null) return begun;
      try {
        begun = redactor.givesValues ? writeRedacted(more) : write(tool, argumentText, more);
      } catch (error) {
        begun = Promise.reject(error);
      }
      return begun;
    },
    pause(state, reason) {
      signal.throwIfAborted();
      journal.pause({ number, reason, state });
    },
    async resend() {
      signal.throwIfAborted();
      beforeCall?.();
      journal.resend(number);
      await journal.flushed();
      signal.throwIfAborted();
    },
    end(result, ok = true) {
      signal.throwIfAborted();
      journal.end({ number, request, ok, result });
    },
    async fail({ journalText }) {
      await entries.begin();
      entries.end(journalText, false);
    },
  };
  return entries;
}
