import { exactText } from '@toolwright/sandbox/internal';
import type { CallJournal } from '../journal/call-record.ts';
import type { PauseEntry } from '../journal/entries.ts';
import type { LimitedCall, ToolCallContext } from './call.ts';
import type { RedactedError, RedactedResult } from './redaction/redact.ts';

/** The journal entries of one call. Its methods raise the reason of the signal after the execution has ended. */
export interface CallEntries {
  /** Writes the call, with the key of the limit that it uses, its plan in a dry run, and the origins of its arguments. Raises `JOURNAL_FULL`. */
  begin(more?: Pick<Parameters<CallJournal['begin']>[0], 'limit' | 'plan' | 'origins'>): Promise<void>;
  /**
   * Writes that the server has ended the call without a result, for lack of an answer or a login: nothing of it is under way. An
   * execution that is continued sends it again with this state. Raises `JOURNAL_FULL`.
   */
  pause(state?: unknown, reason?: PauseEntry['reason']): void;
  /** Writes that the call is sent again, before it is. */
  resend(): Promise<void>;
  /** Writes the result. Raises `JOURNAL_FULL`. */
  end(result: RedactedResult): void;
  /** Writes the error, after the call itself if `begin` has not written it: refused calls are journalled too. */
  fail(error: RedactedError): Promise<void>;
}

/** Opens the journal entries of one call. Writes nothing yet. */
export function openEntries(
  { number, request, tool, args, argumentText, earlier }: LimitedCall,
  { journal, redactor, signal }: ToolCallContext,
): CallEntries {
  let begun: Promise<void> | undefined = earlier?.isSent ? Promise.resolve() : undefined;
  const write = async ({ limit, plan, origins }: Parameters<CallEntries['begin']>[0] = {}) => {
    const redacted = await redactor.redactForJournal({ tool, args });
    // The file of the journal is closed when the execution ends.
    signal.throwIfAborted();
    const text = redacted.args === args ? argumentText : exactText(redacted.args);
    journal.begin({ number, request, tool: redacted.tool, arguments: text, limit, plan, origins });
    await journal.flushed();
    signal.throwIfAborted();
  };
  const begin: CallEntries['begin'] = (more) => {
    begun ??= write(more);
    return begun;
  };
  const end = (ok: boolean, result: string) => {
    signal.throwIfAborted();
    journal.end({ number, request, ok, result });
  };
  return {
    begin,
    pause(state, reason) {
      signal.throwIfAborted();
      journal.pause({ number, reason, state });
    },
    async resend() {
      signal.throwIfAborted();
      journal.resend(number);
      await journal.flushed();
      signal.throwIfAborted();
    },
    end: ({ journalText }) => end(true, journalText),
    async fail({ journalText }) {
      await begin();
      end(false, journalText);
    },
  };
}
