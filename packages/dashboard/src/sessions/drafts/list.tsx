import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Scope, useScope } from '../../api/session.ts';
import { useTitle } from '../../app/title.ts';
import { useItemKeys } from '../../parts/item-keys.ts';
import { Empty, Failure, Loading } from '../../parts/states.tsx';
import { clock, count } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { type DraftSummary, draftsQuery, stateText } from './draft.ts';

/** The drafts of all sessions. */
export function AllDrafts(): ReactNode {
  useTitle('n8n drafts');
  return (
    <div className="h-full overflow-auto">
      <div className="border-b border-line bg-panel p-2">
        <h1 className="flex min-h-8 items-center">n8n drafts</h1>
      </div>
      <DraftList scope={useScope()} />
    </div>
  );
}

/** The drafts of n8n workflows that programs have made, newest first. */
export function DraftList({ scope, sessionId }: { readonly scope: Scope; readonly sessionId?: string }): ReactNode {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    draftsQuery(scope, sessionId),
  );
  const keys = useItemKeys();
  if (isPending) return <Loading label="Loading drafts" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const drafts = data.pages.flatMap((page) => page.drafts);
  const omitted = data.pages.reduce((sum, page) => sum + page.omitted, 0);
  return (
    <>
      {drafts.length === 0 && !hasNextPage && (
        <Empty title="No drafts yet">Programs make drafts of n8n workflows with buildWorkflow of n8n-workflows.</Empty>
      )}
      <ul aria-label="Drafts" {...keys}>
        {drafts.map((draft) => (
          <Row key={`${draft.executionId} ${draft.call}`} draft={draft} isOfAll={scope.all !== undefined} />
        ))}
      </ul>
      {omitted > 0 && <p className="p-3 text-muted">{count(omitted)} calls have workflows over 512 KiB.</p>}
      {hasNextPage && (
        <button type="button" className="button m-3" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Load more
        </button>
      )}
    </>
  );
}

function Row({ draft, isOfAll }: { readonly draft: DraftSummary; readonly isOfAll: boolean }): ReactNode {
  const { executionId, call, userId, name, nodeCount, at, steps, errors = 0, warnings = 0 } = draft;
  const colour = errors > 0 ? 'text-bad' : warnings > 0 ? 'text-wait' : 'text-muted';
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-x-4 border-b border-line bg-panel px-3 py-1">
      <Link to="/ui/drafts/$id/$call" params={{ id: executionId, call: String(call) }} search={{ userId }}>
        {name === '' ? 'Draft without a name' : <Text value={name} limit={120} isCut />}
      </Link>
      <span className="text-muted">{count(nodeCount)} nodes</span>
      <span className={colour}>{stateText(draft)}</span>
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
