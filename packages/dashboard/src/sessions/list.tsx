import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Session } from '../api/client.ts';
import { get, queryText } from '../api/session.ts';
import { useNow } from '../app/now.ts';
import { useTitle } from '../app/title.ts';
import { usePages } from '../pages/graph.ts';
import { useItemKeys } from '../parts/item-keys.ts';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { ago, clock } from '../text/format.ts';
import { Text } from '../text/text.tsx';

const PAGE = 50;

/** The sessions of the person, last used first. */
export function SessionList(): ReactNode {
  useTitle('Sessions');
  const now = useNow();
  const keys = useItemKeys();
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['sessions'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      get<{ readonly sessions: readonly Session[] }>(
        `sessions${queryText({ limit: PAGE, before: pageParam })}`,
        signal,
      ),
    getNextPageParam: ({ sessions }) => (sessions.length === PAGE ? sessions.at(-1)?.sessionId : undefined),
  });
  const pages = usePages();
  const sessions = data?.pages.flatMap((page) => page.sessions) ?? [];
  return (
    <div className="h-full overflow-auto">
      <div className="flex min-h-12 items-center border-b border-line bg-panel p-2">
        <h1 className="mr-auto">Sessions</h1>
        {pages.map(({ key, title }) => (
          <Link key={key} to="/ui/pages/$page" params={{ page: key }} className="button ml-2">
            <Text value={title} isCut limit={40} />
          </Link>
        ))}
      </div>
      {isPending ? (
        <Loading label="Loading sessions" />
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : sessions.length === 0 ? (
        <Empty title="No sessions yet">
          A session keeps the files of programs. Agents open one by themselves; in a terminal: toolwright run --session
          NAME.
        </Empty>
      ) : (
        <ul {...keys}>
          {sessions.map(({ sessionId, userId, createdAt, lastUsedAt }) => (
            <li
              key={sessionId}
              className="flex min-h-10 flex-wrap items-center gap-x-4 border-b border-line bg-panel px-3 py-1"
            >
              <Link to="/ui/sessions/$id" params={{ id: sessionId }} search={{ userId }} className="code">
                <Text value={sessionId} limit={64} />
              </Link>
              <span className="text-muted">
                <Text value={userId} limit={60} />
              </span>
              <span className="ml-auto text-muted" title={`created ${clock(createdAt)}`}>
                used {ago(lastUsedAt, now)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <button type="button" className="button m-3" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load more
        </button>
      )}
    </div>
  );
}
