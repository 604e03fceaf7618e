import { type ReactNode, useId, useState } from 'react';
import type { Approval } from '../../api/types.ts';
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
const LINKS: Readonly<Record<string, string>> = {
  input: 'Open the page of the server',
  authorization: 'Log in to the server',
};

interface Details {
  readonly mode?: unknown;
  readonly url?: unknown;
  readonly requestedSchema?: { readonly properties?: Readonly<Record<string, { type?: unknown; default?: unknown }>> };
}

const INDENT = 2;

/** The decision about an unknown outcome, a question of a server, or a login. */
export function Answer({ question, act }: AnswerProps): ReactNode {
  const { kind } = question;
  const link = linkOf(question);
  return (
    <div className="flex flex-col gap-2 border-t border-line p-3">
      {link !== undefined && (
        <a href={link} target="_blank" rel="noopener noreferrer" className="button button-main self-start">
          {LINKS[kind]}
        </a>
      )}
      {kind !== 'authorization' && !isUrlQuestion(question) && <ValueForm question={question} act={act} />}
      <div className="flex flex-wrap gap-2">
        {isUrlQuestion(question) && (
          <button type="button" className="button" onClick={() => act({ action: 'answer', items: [question] })}>
            It is done there
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

/** Asks for the answer to a server, or for the result of a call that took effect. */
function ValueForm({ question, act }: AnswerProps): ReactNode {
  const isInput = question.kind === 'input';
  const [text, setText] = useState(isInput ? templateOf(question.details) : '');
  const [field, hint] = [useId(), useId()];
  const value = parsed(text);
  return (
    <>
      <label htmlFor={field} className="text-muted">
        {isInput ? 'Answer, as JSON' : 'Result of the call, as JSON, if it took effect'}
      </label>
      <textarea
        id={field}
        value={text}
        rows={isInput ? 5 : 3}
        aria-describedby={hint}
        className="code"
        onChange={(event) => setText(event.target.value)}
      />
      <p id={hint} className="text-bad empty:hidden">
        {text !== '' && !value.isValid && 'This is not JSON. Texts need quotes: "text".'}
      </p>
      <button
        type="button"
        className="button button-main self-start"
        disabled={!value.isValid}
        onClick={() => act({ action: isInput ? 'answer' : 'result', items: [question], value: value.data })}
      >
        {isInput ? 'Answer' : 'It happened, with this result'}
      </button>
    </>
  );
}

function parsed(text: string): { readonly isValid: boolean; readonly data?: unknown } {
  try {
    return { isValid: true, data: JSON.parse(text) };
  } catch {
    return { isValid: false };
  }
}

interface ShownQuestion {
  readonly kind: string;
  readonly details?: unknown;
}

/** Returns whether a server asks the person to open a page instead of filling in a form. */
export function isUrlQuestion({ kind, details }: ShownQuestion): boolean {
  return kind === 'input' && (Object(details) as Details).mode === 'url';
}

/** Returns the link of a login or of a page of the server: only of the web, never a script. */
export function linkOf(question: ShownQuestion): string | undefined {
  const { url } = Object(question.details) as Details;
  if (question.kind !== 'authorization' && !isUrlQuestion(question)) return undefined;
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  return /^https?:$/.test(new URL(url).protocol) ? url : undefined;
}

/** Returns the JSON of an empty answer: the fields of the form with their defaults. A field with `null` counts as left out. */
export function templateOf(details: unknown): string {
  const { properties = {} } = (Object(details) as Details).requestedSchema ?? {};
  const fields = Object.entries(properties).map(([name, { type, default: initial }]) => [
    name,
    initial ?? (type === 'string' ? '' : null),
  ]);
  return JSON.stringify(Object.fromEntries(fields), undefined, INDENT);
}
