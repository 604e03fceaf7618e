import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Status } from '../../parts/status.tsx';
import { count } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { ExecutionLink } from './execution-link.tsx';
import type { LivePart } from './live-text.ts';

const MAX_TEXT = 8_000;
const MAX_RESULT = 1_000;
/** Longer programs are closed. */
const OPEN_LINES = 12;
const FAILED: ReadonlySet<string> = new Set(['failed', 'stopped']);

/** The colours of programs need parsers. */
const Program = lazy(async () => ({ default: (await import('../../code/program.tsx')).Program }));

type PartOf<Is extends LivePart['is']> = Extract<LivePart, { readonly is: Is }>;

/** Shows the work on a task: texts of the model, programs and searches with their results. */
export function Parts({ parts, userId }: { readonly parts: readonly LivePart[]; readonly userId: string }): ReactNode {
  return parts.map((part, index) => {
    if (part.is === 'program') return <ProgramPart key={index} part={part} userId={userId} />;
    if (part.is === 'call') return <CallPart key={index} part={part} />;
    return (
      <p key={index} className="mt-1 whitespace-pre-wrap">
        <Text value={part.text} limit={MAX_TEXT} />
      </p>
    );
  });
}

function ProgramPart({ part, userId }: { readonly part: PartOf<'program'>; readonly userId: string }): ReactNode {
  const { code, language, calls, status, executionId, result } = part;
  const lines = code.split('\n').length;
  const [isOpen, setOpen] = useState(lines <= OPEN_LINES);
  return (
    <div className="my-2">
      <p className="flex flex-wrap items-center gap-x-3">
        <Status status={status} />
        {executionId !== undefined && <ExecutionLink executionId={executionId} userId={userId} />}
        <span className="text-muted">{count(calls)} calls</span>
      </p>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="cursor-pointer text-muted">
          Program, {count(lines)} {lines === 1 ? 'line' : 'lines'}
        </summary>
        {isOpen && (
          <div className="flex max-h-96 flex-col rounded-md border border-line">
            <Suspense fallback={<p className="p-2 text-muted">Loading the program</p>}>
              <Program source={code} language={language} />
            </Suspense>
          </div>
        )}
      </details>
      <Result text={result} isFailed={FAILED.has(status)} />
    </div>
  );
}

function CallPart({ part: { tool, result } }: { readonly part: PartOf<'call'> }): ReactNode {
  return (
    <details className="my-2">
      <summary className="cursor-pointer text-muted">
        {tool === undefined ? 'A refused call' : <Text value={tool} limit={120} />}
      </summary>
      <Result text={result} isFailed={false} />
    </details>
  );
}

function Result({ text, isFailed }: { readonly text: string | undefined; readonly isFailed: boolean }): ReactNode {
  if (text === undefined) return null;
  return (
    <div role="group" aria-label={isFailed ? 'Error' : 'Result'} className="mt-1">
      <p className="text-xs text-muted">{isFailed ? 'Error' : 'Result'}</p>
      <pre className={`code rounded-md bg-sunken p-2 whitespace-pre-wrap ${isFailed ? 'text-bad' : ''}`}>
        <Text value={text} limit={MAX_RESULT} />
      </pre>
    </div>
  );
}
