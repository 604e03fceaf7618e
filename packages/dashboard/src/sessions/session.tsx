import { infiniteQueryOptions, queryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { get, queryText, send, useSession } from '../api/session.ts';
import { useTitle } from '../app/title.ts';
import type { ExecutionPage } from '../events/apply.ts';
import { firstLine } from '../executions/first-line.ts';
import { usePages } from '../pages/graph.ts';
import { GraphList } from '../pages/list.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { useItemKeys } from '../parts/item-keys.ts';
import { Status } from '../parts/status.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { Unloaded } from '../parts/unloaded.tsx';
import { clock, count, duration } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { Workspace } from './files/workspace.tsx';
import { type LoggedExecution, type SessionExecution, sessionExecutions } from './session-executions.ts';
import { Tasks } from './tasks/list.tsx';

const route = getRouteApi('/ui/sessions/$id');

const SHOWN_EXECUTIONS = 200;

interface ExecutionsProps {
  readonly executions: readonly SessionExecution[];
  readonly sessionId: string;
  readonly userId: string;
}

/** The most executions that a page of the list has. */
const PAGE = 200;

interface RemoveSessionProps {
  readonly sessionId: string;
  readonly userId: string;
}

/** One session: its files, its executions and its tasks. */
export function SessionDetail(): ReactNode {
  const { id } = route.useParams();
  const search = route.useSearch();
  const { user } = useSession();
  const userId = search.userId ?? user;
  useTitle(`Session ${id.slice(0, 8)}`);
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(sessionQuery(id, userId));
  const listed = useInfiniteQuery(listedQuery(id, userId));
  const pages = usePages();
  if (!data)
    return (
      <Unloaded
        title={`Session ${id.slice(0, 8)}`}
        label="Loading the session"
        error={error}
        retry={() => void refetch()}
      />
    );
  const executions = sessionExecutions(data.executions, listed.data?.pages.flatMap((page) => page.executions) ?? []);
  const go = (changed: { readonly tab?: string; readonly file?: string | undefined }) =>
    void navigate({ to: '/ui/sessions/$id', params: { id }, search: { ...search, ...changed }, replace: true });
  const setFile = (file: string | undefined) => go({ file });
  const tabs: Tab[] = [
    {
      name: 'files',
      label: 'Files',
      content: () => <Workspace sessionId={id} userId={userId} chosen={search.file} choose={setFile} />,
    },
    {
      name: 'executions',
      label: `Executions ${executions.length}`,
      content: () => <Executions executions={executions} sessionId={id} userId={userId} />,
    },
    { name: 'tasks', label: 'Tasks', content: () => <Tasks sessionId={id} userId={userId} /> },
    ...pages.map((page) => ({
      name: page.key,
      label: page.title,
      content: () => <GraphList page={page} scope={{ userId }} sessionId={id} />,
    })),
  ];
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-wrap items-center gap-x-4 border-b border-line bg-panel p-2">
        <h1 className="code min-h-8 content-center">
          <Text value={id} limit={64} />
        </h1>
        <span className="text-muted">created {clock(data.createdAt)}</span>
        <RemoveSession sessionId={id} userId={userId} />
      </div>
      <div className="min-h-0 flex-1 bg-panel">
        <Tabs label="Session" tab={search.tab ?? 'files'} setTab={(tab) => go({ tab })} tabs={tabs} />
      </div>
    </div>
  );
}

/** The executions of a session, newest first. */
function Executions({ executions, sessionId, userId }: ExecutionsProps): ReactNode {
  const [limit, setLimit] = useState(SHOWN_EXECUTIONS);
  const keys = useItemKeys();
  if (executions.length === 0) return <p className="text-muted">Nothing has run in this session.</p>;
  return (
    <>
      <Link to="/ui/executions" search={{ sessionId, userId }}>
        Filter them in the list of executions
      </Link>
      <ul aria-label="Executions" className="mt-2" {...keys}>
        {executions.slice(0, limit).map((execution) => (
          <Row key={execution.executionId} execution={execution} userId={userId} />
        ))}
      </ul>
      {executions.length > limit && (
        <button type="button" className="button mt-2" onClick={() => setLimit(limit + SHOWN_EXECUTIONS)}>
          {count(executions.length - limit)} more
        </button>
      )}
    </>
  );
}

function Row({ execution, userId }: { readonly execution: SessionExecution; readonly userId: string }): ReactNode {
  const { executionId, status, waitingFor, startMs, ms, code } = execution;
  return (
    <li className="flex flex-wrap items-center gap-x-4 border-b border-line py-1">
      <Status status={status} waitingFor={waitingFor} />
      <Link
        to="/ui/executions/$id"
        params={{ id: executionId }}
        search={{ userId }}
        className="code min-w-0 flex-1 truncate"
      >
        <Text isCut value={firstLine(code) ?? executionId} limit={160} />
      </Link>
      <span className="text-muted">
        {clock(new Date(startMs).toISOString())}
        {ms !== undefined && `, ${duration(ms)}`}
      </span>
    </li>
  );
}

/** The query of a session with its log. */
function sessionQuery(id: string, userId: string) {
  return queryOptions({
    queryKey: ['sessions', id, userId],
    queryFn: ({ signal }) =>
      get<{ readonly createdAt: string; readonly executions: readonly LoggedExecution[] }>(
        `sessions/${encodeURIComponent(id)}${queryText({ userId })}`,
        signal,
      ),
  });
}

/** The query of the newest executions of a session, to which the stream of changes adds new ones. */
function listedQuery(sessionId: string, userId: string) {
  return infiniteQueryOptions({
    queryKey: ['executions', { sessionId, userId }, 'session'],
    initialPageParam: undefined,
    queryFn: ({ signal }) => get<ExecutionPage>(`executions${queryText({ sessionId, userId, limit: PAGE })}`, signal),
    getNextPageParam: () => undefined,
  });
}

/** A button that deletes a session after a question. */
function RemoveSession({ sessionId, userId }: RemoveSessionProps): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    await send('DELETE', `sessions/${encodeURIComponent(sessionId)}${queryText({ userId })}`);
    await navigate({ to: '/ui/sessions' });
    await client.invalidateQueries({ queryKey: ['sessions'], exact: true });
  };
  return (
    <div className="ml-auto">
      <ConfirmButton
        label="Delete session"
        title="Delete this session?"
        description="Its files and its log are deleted too. Its executions and tasks stay in their lists."
        change={remove}
      />
    </div>
  );
}
