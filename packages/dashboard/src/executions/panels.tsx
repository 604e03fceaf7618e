import { type ReactNode, useState } from 'react';
import type { ExecutionCall } from '../api/client.ts';
import { filePathOf, type LoadedExecution, type Values } from '../api/executions.ts';
import { FileContent } from '../files/file-content.tsx';
import { Status } from '../parts/status.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { platform } from '../platforms/current.ts';
import { bytes, count } from '../text/format.ts';
import { Json } from '../text/json.tsx';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';
import { Call } from './calls/call.tsx';
import { DiffPanel } from './diff.tsx';
import { ErrorView } from './error-view.tsx';
import { JournalPanel } from './journal.tsx';

interface PanelProps {
  readonly execution: LoadedExecution;
  readonly userId: string;
}

interface PanelsProps extends PanelProps {
  readonly values: Values;
  readonly call: ExecutionCall | undefined;
  /** Marks a call in the other panes; undefined marks none. */
  readonly choose: (call: number | undefined) => void;
  readonly tab: string | undefined;
  readonly setTab: (tab: string) => void;
}

interface DownloadProps {
  /** The path of the file in the API. */
  readonly place: string;
  readonly path: string;
}

/** The details of an execution, in tabs. */
export function Panels({ execution, userId, values, call, choose, tab, setTab }: PanelsProps): ReactNode {
  const { executionId, logs = [], media = [], file } = execution;
  const files = media.length + (file ? 1 : 0);
  const tabs: Tab[] = [
    { name: 'result', label: 'Result', content: () => <Result execution={execution} userId={userId} /> },
    ...(call
      ? [
          {
            name: 'call',
            label: `Call ${call.number}`,
            content: () => <Call executionId={executionId} call={call} userId={userId} values={values} />,
          },
        ]
      : []),
    { name: 'logs', label: <>Logs {logs.length > 0 && count(logs.length)}</>, content: () => <Logs logs={logs} /> },
    ...(files > 0
      ? [{ name: 'files', label: `Files ${files}`, content: () => <Files execution={execution} userId={userId} /> }]
      : []),
    { name: 'stats', label: 'Stats', content: () => <Json value={execution.stats ?? {}} /> },
    {
      name: 'journal',
      label: 'Journal',
      content: () => <JournalPanel id={executionId} userId={userId} choose={choose} />,
    },
    { name: 'diff', label: 'Compare', content: () => <DiffPanel execution={execution} userId={userId} /> },
  ];
  const shown = tabs.some(({ name }) => name === tab) ? (tab ?? 'result') : 'result';
  return <Tabs label="Details" tabs={tabs} tab={shown} setTab={setTab} />;
}

function Result({ execution, userId }: PanelProps): ReactNode {
  const {
    executionId,
    status,
    error,
    limit,
    message,
    value,
    note,
    waitingFor,
    file,
    media = [],
    logs = [],
  } = execution;
  if (error) return <ErrorView error={error} />;
  if (status === 'running')
    return (
      <>
        <p className="text-muted">The program runs. Its result appears here.</p>
        {logs.length > 0 && <Logs logs={logs} />}
      </>
    );
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
      {file && (
        <p className="mb-2 flex flex-wrap items-center gap-2">
          The start of a result of {bytes(file.bytes)}.
          <Download place={filePathOf(executionId, file.path, userId)} path={file.path} />
        </p>
      )}
      {media.length > 0 && (
        <div className="mb-2">
          <Files execution={{ ...execution, file: undefined }} userId={userId} />
        </div>
      )}
      {value !== undefined ? <Json value={value} /> : status === 'completed' && <p className="text-muted">No value.</p>}
    </>
  );
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

/** The files that the result of an execution names. */
function Files({ execution, userId }: PanelProps): ReactNode {
  const { executionId, media = [], file } = execution;
  return (
    <ul className="flex flex-col gap-3">
      {file && (
        <li className="flex flex-wrap items-center gap-2">
          <Text value={file.path} /> <span className="text-muted">{bytes(file.bytes)}, the complete result</span>
          <Download place={filePathOf(executionId, file.path, userId)} path={file.path} />
        </li>
      )}
      {media.map(({ path, name = path, mimeType, bytes: size }) => {
        const place = filePathOf(executionId, path, userId);
        return (
          <li key={path}>
            <p className="mb-1 flex flex-wrap items-center gap-2">
              <Text value={name} />
              <span className="text-muted">
                <Text value={mimeType} limit={100} />, {bytes(size)}
              </span>
              <Download place={place} path={name} />
            </p>
            <FileContent path={name} size={size} place={place} version={path} mimeType={mimeType} />
          </li>
        );
      })}
    </ul>
  );
}

/** A link that saves a file of the server. */
function Download({ place, path }: DownloadProps): ReactNode {
  const name = visibleText(path.slice(path.lastIndexOf('/') + 1));
  return (
    <a className="button" href={`${platform.basePath}${place}`} download={name} aria-label={`Download ${name}`}>
      Download
    </a>
  );
}
