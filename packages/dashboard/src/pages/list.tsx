import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Scope, useScope } from '../api/session.ts';
import { useTitle } from '../app/title.ts';
import { useItemKeys } from '../parts/item-keys.ts';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { clock, count } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { type GraphSummary, graphsQuery, type Page, stateText, usePages } from './graph.ts';

const route = getRouteApi('/ui/pages/$page');

/** A page of a plugin: the graphs of all sessions. */
export function PluginPage(): ReactNode {
  const { page: key } = route.useParams();
  const page = usePages().find((each) => each.key === key) ?? { key, title: key, emptyText: '' };
  useTitle(page.title);
  return (
    <div className="h-full overflow-auto">
      <div className="border-b border-line bg-panel p-2">
        <h1 className="flex min-h-8 items-center">
          <Text value={page.title} limit={80} />
        </h1>
      </div>
      <GraphList page={page} scope={useScope()} />
    </div>
  );
}

interface GraphListProps {
  readonly page: Page;
  readonly scope: Scope;
  readonly sessionId?: string;
}

/** The graphs of a page, newest first. */
export function GraphList({ page, scope, sessionId }: GraphListProps): ReactNode {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    graphsQuery(page.key, scope, sessionId),
  );
  const keys = useItemKeys();
  if (isPending) return <Loading label="Loading the page" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const graphs = data.pages.flatMap((part) => part.graphs);
  const omitted = data.pages.reduce((sum, part) => sum + part.omitted, 0);
  return (
    <>
      {graphs.length === 0 && !hasNextPage && (
        <Empty title="Nothing yet">
          <Text value={page.emptyText} limit={400} />
        </Empty>
      )}
      <ul aria-label={page.title} {...keys}>
        {graphs.map((graph) => (
          <Row
            key={`${graph.executionId} ${graph.call}`}
            page={page.key}
            graph={graph}
            isOfAll={scope.all !== undefined}
          />
        ))}
      </ul>
      {omitted > 0 && <p className="p-3 text-muted">{count(omitted)} calls have values over 512 KiB.</p>}
      {hasNextPage && (
        <button type="button" className="button m-3" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load more
        </button>
      )}
    </>
  );
}

interface RowProps {
  readonly page: string;
  readonly graph: GraphSummary;
  readonly isOfAll: boolean;
}

function Row({ page, graph, isOfAll }: RowProps): ReactNode {
  const { executionId, call, userId, name, nodeCount, at, steps, errors = 0, warnings = 0 } = graph;
  const colour = errors > 0 ? 'text-bad' : warnings > 0 ? 'text-wait' : 'text-muted';
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-x-4 border-b border-line bg-panel px-3 py-1">
      <Link to="/ui/pages/$page/$id/$call" params={{ page, id: executionId, call: String(call) }} search={{ userId }}>
        {name === '' ? 'No name' : <Text value={name} limit={120} isCut />}
      </Link>
      <span className="text-muted">{count(nodeCount)} nodes</span>
      <span className={colour}>{stateText(graph)}</span>
      <span className="text-muted">{steps.join(', ')}</span>
      {isOfAll && (
        <span className="text-muted">
          <Text value={userId} limit={60} />
        </span>
      )}
      <span className="ml-auto text-muted">{clock(at)}</span>
    </li>
  );
}
