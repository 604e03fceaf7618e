import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { executionQuery } from '../api/executions.ts';
import type { Approval } from '../api/types.ts';
import { useNow } from '../app/now.ts';
import { callingLines } from '../code/calling-lines.ts';
import { Program } from '../code/program.tsx';
import { usePreferences } from '../platforms/preferences.ts';
import { duration } from '../text/format.ts';
import { Json } from '../text/json.tsx';
import { Text } from '../text/text.tsx';
import { Answer } from './answers/answer.tsx';
import type { Choice } from './answers/choice.ts';
import { CoverNext } from './answers/cover-next.tsx';
import { Lasting } from './lasting/lasting.tsx';

interface QuestionProps {
  readonly question: Approval;
  readonly act: (choice: Choice) => void;
  readonly mayDecide: boolean;
}

/** An open question with its exact arguments, the rule that asks, and the program around it. */
export function Question({ question, act, mayDecide }: QuestionProps): ReactNode {
  const { executionId, userId, tool, rule, kind, origins = [], arguments: data, details, expiresAt } = question;
  const now = useNow();
  return (
    <section aria-label="Question" className="panel flex min-h-0 flex-col overflow-hidden">
      <div className="min-h-0 flex-1 overflow-auto p-3">
        <h2 className="code text-base">
          <Text value={tool} />
        </h2>
        <p className="text-muted">
          For <Text value={userId} limit={60} />, call {question.call} of{' '}
          <Link to="/ui/executions/$id" params={{ id: executionId }} search={{ userId, call: String(question.call) }}>
            {executionId.slice(0, 8)}
          </Link>
          . {expiryText(kind, Date.parse(expiresAt) - now)}
        </p>
        {rule !== undefined && (
          <p className="mt-2">
            Asked by <Text value={rule} className="code rounded bg-sunken px-1" />
          </p>
        )}
        {kind === 'outcome' && (
          <p className="mt-2 rounded-md bg-wait-back p-2 text-wait">
            The server was sent this call before a crash, and nobody knows whether it took effect. Look there first.
          </p>
        )}
        <h3 className="mt-3 text-xs text-muted">Arguments</h3>
        <Json value={data} />
        {origins.length > 0 && <Origins origins={origins} />}
        {details !== undefined && (
          <>
            <h3 className="mt-3 text-xs text-muted">{kind === 'authorization' ? 'Login' : 'Question of the server'}</h3>
            <Json value={details} />
          </>
        )}
        <ProgramOf question={question} />
      </div>
      {mayDecide ? (
        <Decision question={question} act={act} />
      ) : (
        <p className="border-t border-line p-3 text-muted">You may look at this question. An approver decides.</p>
      )}
    </section>
  );
}

/** Where the arguments came from. The server lists suspicious ones first. */
function Origins({ origins }: { readonly origins: NonNullable<Approval['origins']> }): ReactNode {
  return (
    <>
      <h3 className="mt-3 text-xs text-muted">Origins</h3>
      <ul aria-label="Origins">
        {origins.map(({ argument, kind, from, isSuspicious }) => (
          <li key={argument} className={isSuspicious ? 'text-wait' : undefined}>
            <Text value={argument} className="code" /> ({kind}): <Text value={from} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Returns what happens without a decision, and when. */
function expiryText(kind: Approval['kind'], leftMs: number): string {
  if (leftMs <= 0) return 'Its time is over: without a decision, the call fails now.';
  return `Without a decision, ${kind === 'approval' ? 'it is refused' : 'the call fails'} in ${duration(leftMs)}.`;
}

/** The program, at the line that names the tool. Its first characters until it is loaded. */
function ProgramOf({ question }: { readonly question: Approval }): ReactNode {
  const { executionId, userId, tool, preview, language } = question;
  const { data } = useQuery(executionQuery(executionId, { userId }));
  const source = data?.source ?? preview;
  const lines = callingLines(source, [tool]).get(tool) ?? [];
  return (
    <>
      <h3 className="mt-3 text-xs text-muted">Program, at the lines that name this tool</h3>
      <div className="h-60 overflow-hidden rounded-md border border-line">
        <Program key={data ? 'whole' : 'start'} source={source} language={language} chosen={lines} />
      </div>
    </>
  );
}

function Decision({ question, act }: Omit<QuestionProps, 'mayDecide'>): ReactNode {
  const { shortcuts } = usePreferences();
  const [note, setNote] = useState('');
  const noteId = useId();
  if (question.kind !== 'approval') return <Answer question={question} act={act} />;
  const send = (action: string) => act({ action, items: [question], note });
  const key = (name: string) => shortcuts && <kbd className="kbd max-md:hidden">{name}</kbd>;
  return (
    <div className="flex flex-col gap-2 border-t border-line p-3">
      <label htmlFor={noteId} className="sr-only">
        Reason, for the program
      </label>
      <input
        id={noteId}
        value={note}
        placeholder="Reason, for the program (optional)"
        maxLength={4_000}
        onChange={(event) => setNote(event.target.value)}
      />
      <div className="flex flex-wrap items-center gap-2">
        <button type="button" className="button button-main" onClick={() => send('approve')}>
          Approve {key('a')}
        </button>
        <button type="button" className="button button-bad" onClick={() => send('deny')}>
          Deny {key('d')}
        </button>
      </div>
      <Lasting question={question} act={(choice) => act({ ...choice, note })} />
      <CoverNext question={question} act={(choice) => act({ ...choice, note })} />
      {shortcuts && (
        <p className="text-xs text-muted max-md:hidden">
          {key('j')} {key('k')} move, {key('x')} marks. With marks, {key('a')} {key('d')} are about the marked calls.
        </p>
      )}
    </div>
  );
}
