import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../api/session.ts';
import { useTitle } from '../app/title.ts';
import { usePages } from '../pages/graph.ts';
import { GraphList } from '../pages/list.tsx';
import { type Tab, Tabs } from '../parts/tabs.tsx';
import { Unloaded } from '../parts/unloaded.tsx';
import { clock } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { Executions } from './executions.tsx';
import { Workspace } from './files/workspace.tsx';
import { listedQuery, sessionQuery } from './load.ts';
import { RemoveSession } from './remove-session.tsx';
import { sessionExecutions } from './session-executions.ts';
import { Tasks } from './tasks/list.tsx';

const route = getRouteApi('/ui/sessions/$id');

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
