import { describe, expect, it } from 'vitest';
import { partial } from '../../../../../test/fixtures/partial.ts';
import { newRedactor, resolvedTool } from '../../../../../test/fixtures/tool-calls.ts';
import { NO_REDACTION } from '../../../../pii/src/redaction/redactor.ts';
import { ToolwrightError } from '../../errors.ts';
import { redactError, redactResult } from './redact.ts';
import { UnredactedError } from './unredacted-error.ts';

const target = resolvedTool();
const clear = new Set(['crm']);

const resultOf = (data: unknown) => ({ data, text: JSON.stringify(data) });

describe('redactResult', () => {
  it('redacts for the program and the journal', async () => {
    const redacted = await redactResult(
      resultOf(['ada@example.com', '[EMAIL_9]']),
      target,
      partial({
        redactor: newRedactor(),
      }),
    );
    const text = '["[EMAIL_1]","[~EMAIL_9]"]';
    expect(redacted).toEqual({ guestText: text, journalText: text, journalValue: JSON.parse(text) });
  });

  it('redacts only for the journal if the program may see values', async () => {
    const redactor = newRedactor({ clear });
    const { guestText, journalText } = await redactResult(resultOf(['ada@example.com']), target, partial({ redactor }));
    expect([guestText, journalText]).toEqual(['["ada@example.com"]', '["[EMAIL_1]"]']);
  });

  it('does not serialise unchanged data again', async () => {
    let serialised = 0;
    const data = {
      toJSON() {
        serialised++;
        return 1;
      },
    };
    const { guestText, journalText } = await redactResult(
      { data, text: '1' },
      target,
      partial({ redactor: NO_REDACTION }),
    );
    expect([guestText, journalText, serialised]).toEqual(['1', '1', 0]);
  });
});

describe('redactError', () => {
  const words = 'no ada@example.com, not [EMAIL_9]';
  const refusal = new ToolwrightError('TOOL_FAILED', words, { details: { to: 'ada@example.com' } });

  it('treats the message of a tool like its results', async () => {
    const { error, journalText } = await redactError(new UnredactedError(refusal, target.tool), newRedactor());
    const message = 'no [EMAIL_1], not [~EMAIL_9]';
    expect(error).toMatchObject({ code: 'TOOL_FAILED', message, details: { to: '[EMAIL_1]' } });
    expect(journalText).toBe(JSON.stringify({ code: 'TOOL_FAILED', message }));
  });

  it('keeps values in the message of a tool for programs that may see them, but not for the journal', async () => {
    const redactor = newRedactor({ clear });
    const { error, journalText } = await redactError(new UnredactedError(refusal, target.tool), redactor);
    expect(error).toMatchObject({ message: words, details: { to: 'ada@example.com' } });
    expect(journalText).toBe('{"code":"TOOL_FAILED","message":"no [EMAIL_1], not [~EMAIL_9]"}');
  });

  it('keeps placeholders in messages of Toolwright about arguments', async () => {
    const problem = new ToolwrightError('INVALID_ARGUMENTS', words);
    const { error, journalText } = await redactError(new UnredactedError(problem), newRedactor());
    const message = 'no [EMAIL_1], not [EMAIL_9]';
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', message });
    expect(journalText).toBe(JSON.stringify({ code: 'INVALID_ARGUMENTS', message }));
  });

  it('redacts other errors of Toolwright for the program and the journal: a server may have written a part', async () => {
    const unknown = new ToolwrightError('UNKNOWN_TOOL', 'Unknown tool "ada@example.com".');
    const { error, journalText } = await redactError(unknown, newRedactor({ clear }));
    expect(error).toMatchObject({ code: 'UNKNOWN_TOOL', message: 'Unknown tool "[EMAIL_1]".' });
    expect(journalText).toBe('{"code":"UNKNOWN_TOOL","message":"Unknown tool \\"[EMAIL_1]\\"."}');
  });

  it('hides the message of a defect from the journal', async () => {
    const defect = new TypeError('secret');
    const redacted = await redactError(defect, newRedactor());
    expect(redacted).toEqual({ error: defect, journalText: '{"message":"Internal error"}' });
  });

  it('raises the error of the redactor if the redaction fails', async () => {
    const down = () => Promise.reject(new ToolwrightError('STORE_UNAVAILABLE', 'The store is down.'));
    const redactor = { ...newRedactor(), redact: down, redactResult: down, redactForJournal: down };
    for (const source of [target.tool, undefined]) {
      const { error, journalText } = await redactError(new UnredactedError(refusal, source), redactor);
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect(journalText).toBe('{"code":"STORE_UNAVAILABLE","message":"The message could not be redacted."}');
    }
  });
});
