import { type ReactNode, useId, useState } from 'react';
import type { Approval } from '../api/types.ts';
import type { Choice } from './choice.ts';

interface AnswerProps {
  readonly question: Approval;
  readonly act: (choice: Choice) => void;
}

const ACTIONS: Readonly<Record<string, readonly (readonly [action: string, name: string])[]>> = {
  outcome: [
    ['resend', 'Send it again'],
    ['fail', 'Fail the call'],
  ],
  input: [
    ['decline', 'Decline'],
    ['cancel', 'Cancel'],
  ],
  authorization: [
    ['authorize', 'The login is done'],
    ['fail', 'Fail the call'],
  ],
};

/** The decision about an unknown outcome, a question of a server, or a login. */
export function Answer({ question, act }: AnswerProps): ReactNode {
  const { kind } = question;
  const [text, setText] = useState(kind === 'input' ? '{}' : '');
  const field = useId();
  const value = parsed(text);
  const link = loginLink(question);
  return (
    <div className="flex flex-col gap-2 border-t border-line p-3">
      {kind !== 'authorization' && (
        <>
          <label htmlFor={field} className="text-muted">
            {kind === 'input' ? 'Answer, as JSON' : 'Result of the call, as JSON, if it took effect'}
          </label>
          <textarea
            id={field}
            value={text}
            rows={3}
            className="code"
            onChange={(event) => setText(event.target.value)}
          />
        </>
      )}
      <div className="flex flex-wrap gap-2">
        {link !== undefined && (
          <a href={link} target="_blank" rel="noopener noreferrer" className="button button-main">
            Log in to the server
          </a>
        )}
        {kind !== 'authorization' && (
          <button
            type="button"
            className="button button-main"
            disabled={!value.isValid}
            onClick={() =>
              act({ action: kind === 'input' ? 'answer' : 'result', items: [question], value: value.data })
            }
          >
            {kind === 'input' ? 'Answer' : 'It happened, with this result'}
          </button>
        )}
        {(ACTIONS[kind] ?? []).map(([action, name]) => (
          <button key={action} type="button" className="button" onClick={() => act({ action, items: [question] })}>
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}

function parsed(text: string): { readonly isValid: boolean; readonly data?: unknown } {
  try {
    return { isValid: true, data: JSON.parse(text) };
  } catch {
    return { isValid: false };
  }
}

/** Returns the link of a login: only of the web, never a script. */
function loginLink({ kind, details }: Approval): string | undefined {
  const { url } = (details ?? {}) as { readonly url?: unknown };
  if (kind !== 'authorization' || typeof url !== 'string' || !URL.canParse(url)) return undefined;
  return /^https?:$/.test(new URL(url).protocol) ? url : undefined;
}
