import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Status as StatusName } from '../api/client.ts';
import { get, queryText, useSession } from '../api/session.ts';
import { useTitle } from '../app/title.ts';
import { clock, duration } from '../parts/format.ts';
import { Status } from '../parts/status.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Unloaded } from '../parts/unloaded.tsx';
import { draftsQuery } from './drafts/draft.ts';
import { DraftList } from './drafts/list.tsx';
import { Tasks } from './tasks.tsx';
import { Workspace } from './workspace.tsx';

interface LoadedSession {
  readonly sessionId: string;
  readonly createdAt: string;
  readonly executions: readonly {
    readonly at: string;
    readonly executionId: string;
    readonly status: StatusName;
    readonly ms: number;
  }[];
}

const route = getRouteApi('/ui/sessions/$id');

/** One session: its files, its executions and its tasks. */
export function SessionDetail(): ReactNode {
  const { id } = route.useParams();
  const search = route.useSearch();
  const { user } = useSession();
  const userId = search.userId ?? user;
  useTitle(`Session ${id.slice(0, 8)}`);
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions', id, userId],
    queryFn: ({ signal }) => get<LoadedSession>(`sessions/${encodeURIComponent(id)}${queryText({ userId })}`, signal),
  });
  const drafts = useInfiniteQuery(draftsQuery({ userId }, id));
  if (!data)
    return (
      <Unloaded
        title={`Session ${id.slice(0, 8)}`}
        label="Loading the session"
        error={error}
        retry={() => void refetch()}
      />
    );
  const hasDrafts = search.tab === 'drafts' || drafts.data?.pages.some((page) => page.drafts.length > 0);
  const setTab = (tab: string) =>
    void navigate({ to: '/ui/sessions/$id', params: { id }, search: { ...search, tab }, replace: true });
  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-wrap items-center gap-x-4 border-b border-line bg-panel p-2">
        <h1 className="code min-h-8 content-center">{id}</h1>
        <span className="text-muted">created {clock(data.createdAt)}</span>
      </div>
      <div className="min-h-0 flex-1 bg-panel">
        <Tabs
          label="Session"
          tab={search.tab ?? 'files'}
          setTab={setTab}
          tabs={[
            { name: 'files', label: 'Files', content: () => <Workspace sessionId={id} userId={userId} /> },
            {
              name: 'executions',
              label: `Executions ${data.executions.length}`,
              content: () => <Executions session={data} userId={userId} />,
            },
            { name: 'tasks', label: 'Tasks', content: () => <Tasks sessionId={id} userId={userId} /> },
            // Most servers have no n8n.
            ...(hasDrafts
              ? [
                  {
                    name: 'drafts',
                    label: 'n8n drafts',
                    content: () => <DraftList scope={{ userId }} sessionId={id} />,
                  },
                ]
              : []),
          ]}
        />
      </div>
    </div>
  );
}

function Executions({ session, userId }: { readonly session: LoadedSession; readonly userId: string }): ReactNode {
  if (session.executions.length === 0) return <p className="text-muted">Nothing has run in this session.</p>;
  return (
    <ul>
      {session.executions.map(({ executionId, status, at, ms }) => (
        <li key={executionId} className="flex flex-wrap items-center gap-x-4 border-b border-line py-1">
          <Status status={status} />
          <Link to="/ui/executions/$id" params={{ id: executionId }} search={{ userId }} className="code">
            {executionId}
          </Link>
          <span className="ml-auto text-muted">
            {clock(at)}, {duration(ms)}
          </span>
        </li>
      ))}
    </ul>
  );
}
