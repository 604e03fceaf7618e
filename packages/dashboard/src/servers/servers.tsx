import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answer } from '../api/client.ts';
import { get, useSession } from '../api/session.ts';
import type { ServerHealth } from '../api/types.ts';
import { useNow } from '../app/now.ts';
import { REFRESH_MS } from '../app/refresh.ts';
import { useTitle } from '../app/title.ts';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { count, duration } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { AddServer } from './add-server.tsx';
import { EditServer } from './edit-server.tsx';
import { ImportServers } from './import-servers.tsx';
import { LoginButton } from './login-button.tsx';
import { Pins } from './pins.tsx';
import { Policy } from './policy/policy.tsx';
import { RemoveServer } from './remove-server.tsx';
import { ToolSearch } from './tool-search.tsx';

const route = getRouteApi('/ui/servers');

/** Servers with their health, the catalog as agents see it, pins and the policy. */
export function Servers(): ReactNode {
  useTitle('Tools');
  const search = route.useSearch();
  const navigate = useNavigate();
  const setTab = (tab: string) => void navigate({ to: '/ui/servers', search: { tab }, replace: true });
  const tab = search.tab ?? (search.q !== undefined || search.tool !== undefined ? 'catalog' : 'servers');
  return (
    <div className="flex h-full flex-col bg-panel">
      <h1 className="sr-only">Servers and tools</h1>
      <Tabs
        label="Servers and tools"
        tab={tab}
        setTab={setTab}
        tabs={[
          { name: 'servers', label: 'Servers', content: () => <ServerTable /> },
          { name: 'catalog', label: 'Catalog', content: () => <ToolSearch /> },
          { name: 'pins', label: 'Pins', content: () => <Pins /> },
          { name: 'policy', label: 'Policy', content: () => <Policy /> },
        ]}
      />
    </div>
  );
}

function ServerTable(): ReactNode {
  const { roles } = useSession();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['servers'],
    queryFn: ({ signal }) => get<Answer<'/servers'>>('servers', signal),
    refetchInterval: REFRESH_MS,
  });
  if (isPending) return <Loading label="Loading servers" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  return (
    <>
      {roles.includes('admin') ? (
        <div className="flex gap-2">
          <AddServer />
          <ImportServers />
        </div>
      ) : (
        <p className="text-muted">
          Add a server with <code className="code">toolwright servers add NAME -- COMMAND</code>. Buttons for it need
          the link of <code className="code">toolwright dashboard</code>.
        </p>
      )}
      {data.servers.length === 0 ? (
        <Empty title="No servers">
          Add one with <code className="code">toolwright servers add NAME</code>, or import those of another client.
        </Empty>
      ) : (
        <ul>
          {data.servers.map((server) => (
            <ServerRow key={server.slug} server={server} isAdmin={roles.includes('admin')} />
          ))}
        </ul>
      )}
    </>
  );
}

function ServerRow({ server, isAdmin }: { readonly server: ServerHealth; readonly isAdmin: boolean }): ReactNode {
  const {
    name,
    slug,
    description,
    state,
    problem,
    protocol,
    starts = 0,
    nextProbeAt,
    toolCount,
    calls,
    failed = 0,
    p50Ms,
    p95Ms,
    lastError,
    omittedTools = [],
  } = server;
  const isBad = problem !== undefined;
  const now = useNow();
  return (
    <li className="border-b border-line py-2">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h2 className="code">
          <Text value={name} limit={80} />
        </h2>
        <ServerState state={state} isBad={isBad} />
        <span className="text-muted">{count(toolCount)} tools</span>
        {protocol !== undefined && (
          <span className="text-muted">
            <Text value={protocol} limit={40} />
          </span>
        )}
        {starts > 1 && <span className="text-wait">{count(starts)} starts</span>}
        {calls !== undefined && (
          <span className="text-muted">
            {count(calls)} calls{p50Ms !== undefined && `, p50 ${duration(p50Ms)}`}
            {p95Ms !== undefined && `, p95 ${duration(p95Ms)}`}
          </span>
        )}
        {failed > 0 && <span className="text-bad">{count(failed)} failed</span>}
        <span className="ml-auto flex items-baseline gap-2">
          <LoginButton server={name} slug={slug} />
          {isAdmin && <EditServer name={name} slug={slug} />}
          {isAdmin && <RemoveServer name={name} slug={slug} />}
        </span>
      </div>
      {description !== undefined && (
        <p className="max-w-prose text-muted">
          <Text value={description} limit={300} />
        </p>
      )}
      {omittedTools.length > 0 && <OmittedTools tools={omittedTools} />}
      {problem !== undefined && <ServerProblem text={problem} />}
      {nextProbeAt !== undefined && <p className="text-muted">{nextProbeText(Date.parse(nextProbeAt) - now)}</p>}
      {lastError && (
        <p className="text-muted">
          Last error{' '}
          <Link to="/ui/executions" search={{ error: lastError.code }}>
            <Text value={lastError.code} limit={200} />
          </Link>
        </p>
      )}
    </li>
  );
}

/** The state of a server: a sign, a word and a colour. */
function ServerState({ state, isBad }: { readonly state: string; readonly isBad: boolean }): ReactNode {
  const [sign, word, className] = isBad
    ? ['×', state, 'font-medium text-bad']
    : (STATES[state] ?? ['·', state, 'text-muted']);
  return (
    <span className={className}>
      <span aria-hidden="true">{sign} </span>
      <Text value={word} limit={40} />
    </span>
  );
}

const STATES: Readonly<Record<string, readonly [sign: string, word: string, className: string]>> = {
  ready: ['✓', 'ready', 'text-good'],
  idle: ['○', 'not started yet', 'text-muted'],
  starting: ['…', 'starting', 'text-wait'],
};

/** The first line of a problem. The others, such as the stack of a process, are folded. */
function ServerProblem({ text }: { readonly text: string }): ReactNode {
  const [first = '', ...rest] = text.split(/\n|(?<=[^\s]) {4,}(?=at )/);
  return (
    <div className="mt-1 text-bad">
      <Text value={first} limit={1_000} />
      {rest.length > 0 && (
        <details className="text-muted">
          <summary className="cursor-pointer">{count(rest.length)} more lines</summary>
          <pre className="code overflow-x-auto">
            <Text value={rest.join('\n')} limit={4_000} />
          </pre>
        </details>
      )}
    </div>
  );
}

/** Returns when Toolwright looks at a failed server again. */
function nextProbeText(inMs: number): string {
  return inMs <= 0 ? 'Toolwright tries again now.' : `Toolwright tries again in ${duration(inMs)}.`;
}

/** The tools of a server that nobody can use, with the reasons. */
function OmittedTools({ tools }: { readonly tools: NonNullable<ServerHealth['omittedTools']> }): ReactNode {
  return (
    <details className="mt-1 text-wait">
      <summary className="cursor-pointer">
        {tools.length === 1 ? '1 tool' : `${count(tools.length)} tools`} cannot be used
      </summary>
      <ul>
        {tools.map(({ name, problem }, index) => (
          <li key={index}>
            <Text value={name} limit={80} className="code" />: <Text value={problem} limit={300} />
          </li>
        ))}
      </ul>
    </details>
  );
}
