import { type ReactNode, useState } from 'react';
import type { ExecutionCall } from '../api/client.ts';
import { bytes, clock, count, duration } from '../parts/format.ts';
import { Status } from '../parts/status.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { Json } from '../text/json.tsx';
import { Text } from '../text/text.tsx';
import { DiffPanel } from './diff.tsx';
import { JournalPanel } from './journal.tsx';
import type { LoadedExecution } from './load.ts';
import { Picture } from './picture.tsx';

interface PanelsProps {
  readonly execution: LoadedExecution;
  readonly userId: string;
  readonly calls: readonly ExecutionCall[];
  readonly call: ExecutionCall | undefined;
  readonly tab: string | undefined;
  readonly setTab: (tab: string) => void;
}

/** The details of an execution, in tabs. */
export function Panels({ execution, userId, call, tab, setTab }: PanelsProps): ReactNode {
  const { logs = [], media = [], file } = execution;
  const files = media.length + (file ? 1 : 0);
  const tabs: Tab[] = [
    { name: 'result', label: 'Result', content: () => <Result execution={execution} /> },
    ...(call ? [{ name: 'call', label: `Call ${call.number}`, content: () => <Call call={call} /> }] : []),
    { name: 'logs', label: <>Logs {logs.length > 0 && count(logs.length)}</>, content: () => <Logs logs={logs} /> },
    ...(files > 0
      ? [{ name: 'files', label: `Files ${files}`, content: () => <Files execution={execution} userId={userId} /> }]
      : []),
    { name: 'stats', label: 'Stats', content: () => <Json value={execution.stats ?? {}} /> },
    { name: 'journal', label: 'Journal', content: () => <JournalPanel id={execution.executionId} userId={userId} /> },
    { name: 'diff', label: 'Compare', content: () => <DiffPanel execution={execution} userId={userId} /> },
  ];
  const shown = tabs.some(({ name }) => name === tab) ? (tab ?? 'result') : 'result';
  return <Tabs label="Details" tabs={tabs} tab={shown} setTab={setTab} />;
}

function Result({ execution }: { readonly execution: LoadedExecution }): ReactNode {
  const { status, error, limit, message, value, note, waitingFor } = execution;
  if (error) return <ErrorView error={error} />;
  if (status === 'running') return <p className="text-muted">The program runs. Its result appears here.</p>;
  if (status === 'suspended' || status === 'interrupted')
    return (
      <p className="flex items-center gap-2">
        <Status status={status} waitingFor={waitingFor} />
        <span className="text-muted">Its result appears here when it has ended.</span>
      </p>
    );
  return (
    <>
      {limit !== undefined && <p className="font-semibold text-bad">Stopped: {limit}</p>}
      {message !== undefined && (
        <p className="mb-2">
          <Text value={message} />
        </p>
      )}
      {note !== undefined && (
        <p className="text-muted">
          <Text value={note} />
        </p>
      )}
      {value !== undefined ? <Json value={value} /> : status === 'completed' && <p className="text-muted">No value.</p>}
    </>
  );
}

function ErrorView({ error }: { readonly error: NonNullable<LoadedExecution['error']> }): ReactNode {
  const { code, name, message, line, column, hint, stack, tool } = error as typeof error & {
    readonly [part in 'hint' | 'stack' | 'tool']?: string;
  } & { readonly line?: number; readonly column?: number };
  return (
    <div role="group" aria-label="Error">
      <p className="font-semibold text-bad">
        {code} <span className="font-normal">{name}</span>
      </p>
      <p className="mt-1 whitespace-pre-wrap">
        <Text value={message} />
      </p>
      {hint !== undefined && (
        <p className="mt-2 rounded-md bg-sunken p-2 whitespace-pre-wrap">
          <strong>Fix</strong> <Text value={hint} />
        </p>
      )}
      {(line !== undefined || tool !== undefined) && (
        <p className="mt-2 text-muted">
          {line !== undefined && `Line ${line}${column === undefined ? '' : `, column ${column}`}. `}
          {tool !== undefined && <Text value={`Tool ${tool}`} />}
        </p>
      )}
      {stack !== undefined && (
        <pre className="code mt-2 overflow-x-auto text-muted">
          <Text value={stack} />
        </pre>
      )}
    </div>
  );
}

function Call({ call }: { readonly call: ExecutionCall }): ReactNode {
  const { tool, outcome, startedAt, endedAt, argumentBytes, resultBytes, isInvented } = call;
  const took = endedAt === undefined ? '' : `, ${duration(Date.parse(endedAt) - Date.parse(startedAt))}`;
  return (
    <>
      <h2 className="code">
        <Text value={tool} />
      </h2>
      <p className={outcome === 'answered' ? 'text-muted' : outcome === 'failed' ? 'text-bad' : 'text-wait'}>
        {isInvented ? 'not sent: a dry run invented the answer' : outcome}
        {took} <span className="text-muted">at {clock(startedAt)}</span>
      </p>
      <h3 className="mt-3 text-xs text-muted">Arguments, {bytes(argumentBytes)}</h3>
      <Data value={call.arguments} size={argumentBytes} />
      <h3 className="mt-3 text-xs text-muted">
        {outcome === 'failed' ? 'Error' : 'Result'}
        {resultBytes !== undefined && `, ${bytes(resultBytes)}`}
      </h3>
      {resultBytes === undefined && call.result === undefined ? (
        <p className="text-muted">None yet.</p>
      ) : (
        <Data value={call.result} size={resultBytes ?? 0} />
      )}
    </>
  );
}

function Data({ value, size }: { readonly value: unknown; readonly size: number }): ReactNode {
  if (value === undefined && size > 0)
    return <p className="text-muted">Too large to show: over 16 KiB. The journal of the server has it.</p>;
  return <Json value={value} />;
}

function Logs({ logs }: { readonly logs: NonNullable<LoadedExecution['logs']> }): ReactNode {
  const [limit, setLimit] = useState(500);
  if (logs.length === 0) return <p className="text-muted">The program logged nothing.</p>;
  return (
    <ol className="code">
      {logs.slice(0, limit).map(({ level, text }, index) => (
        <li
          key={index}
          className={`flex gap-3 ${level === 'error' ? 'text-bad' : level === 'warn' ? 'text-wait' : ''}`}
        >
          <span className="w-10 shrink-0 text-muted">{level}</span>
          <span className="whitespace-pre-wrap">
            <Text value={text} />
          </span>
        </li>
      ))}
      {logs.length > limit && (
        <button type="button" className="button mt-2" onClick={() => setLimit(limit * 4)}>
          {count(logs.length - limit)} more lines
        </button>
      )}
    </ol>
  );
}

function Files({ execution, userId }: { readonly execution: LoadedExecution; readonly userId: string }): ReactNode {
  const { media = [], file, sessionId } = execution;
  return (
    <ul className="flex flex-col gap-3">
      {file && (
        <li>
          <Text value={file.path} /> <span className="text-muted">{bytes(file.bytes)}, the complete result</span>
        </li>
      )}
      {media.map((each) => (
        <li key={each.path}>
          <p>
            <Text value={each.path} /> <span className="text-muted">{`${each.mimeType}, ${bytes(each.bytes)}`}</span>
          </p>
          {each.type === 'image' && sessionId !== undefined && (
            <Picture file={each} sessionId={sessionId} userId={userId} />
          )}
        </li>
      ))}
    </ul>
  );
}
