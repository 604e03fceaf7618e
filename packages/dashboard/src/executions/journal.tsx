import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { get, queryText, send, useIsOwner } from '../api/session.ts';
import type { JournalEntry } from '../api/types.ts';
import { useFailureNotice } from '../parts/notice.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { clock, count, duration } from '../text/format.ts';
import { Json } from '../text/json.tsx';
import { Text } from '../text/text.tsx';
import { visibleText } from '../text/visible.ts';

const PAGE = 500;

interface JournalPage {
  readonly entries: readonly JournalEntry[];
  readonly nextAfter?: number;
}

interface JournalProps {
  readonly id: string;
  readonly userId: string;
  /** Marks the call of the chosen time; undefined before the first one. */
  readonly choose: (call: number | undefined) => void;
}

/** The journal of an execution, with a slider through its time. */
export function JournalPanel({ id, userId, choose }: JournalProps): ReactNode {
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['execution', id, 'journal', userId],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      get<JournalPage>(`executions/${id}/journal${queryText({ userId, after: pageParam, limit: PAGE })}`, signal),
    getNextPageParam: ({ nextAfter }) => nextAfter,
  });
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  const [chosen, setChosen] = useState<number>();
  const mayReplay = useIsOwner(userId);
  if (isPending) return <Loading rows={4} label="Loading the journal" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const position = Math.min(chosen ?? entries.length, entries.length);
  const entry = entries[position - 1];
  const move = (to: number) => {
    setChosen(to);
    choose(entries.slice(0, to).findLast(({ call }) => call !== undefined)?.call);
    if (to === entries.length && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <label className="flex min-w-48 flex-1 items-center gap-2">
          <span className="text-muted">Time</span>
          <input
            type="range"
            min={1}
            max={Math.max(1, entries.length)}
            value={position}
            className="min-h-0 flex-1 p-0"
            aria-valuetext={entry ? `Entry ${entry.number}: ${visibleText(entry.entry)}` : 'No entry'}
            onChange={(event) => move(Number(event.target.value))}
          />
        </label>
        {hasNextPage && (
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load {PAGE} more entries
          </button>
        )}
        {mayReplay && <Replay id={id} userId={userId} />}
      </div>
      <p className="text-muted" aria-live="polite">
        {stateAt(entries.slice(0, position))}
      </p>
      {entry && (
        <>
          <h2>
            {entry.number} <Text value={entry.entry} limit={60} />
            {typeof entry.at === 'string' && <span className="font-normal text-muted"> {clock(entry.at)}</span>}
          </h2>
          <Json value={entry} />
        </>
      )}
    </div>
  );
}

/** Returns what had happened when the last of these entries was written. */
function stateAt(entries: readonly JournalEntry[]): string {
  const number = (name: string) => entries.filter(({ entry }) => entry === name).length;
  const [first, last] = [entries[0]?.at, entries.at(-1)?.at];
  const after =
    first === undefined || last === undefined ? '' : `After ${duration(Date.parse(last) - Date.parse(first))}: `;
  const parts = [
    `${count(number('call'))} calls sent`,
    `${count(number('answer'))} answered`,
    `${count(number('question'))} questions`,
    `${count(number('decision'))} decisions`,
  ];
  return `${after}${parts.join(', ')}.`;
}

/** Runs the program again with the answers of its journal: nothing is sent. */
function Replay({ id, userId }: { readonly id: string; readonly userId: string }): ReactNode {
  const failed = useFailureNotice();
  const replay = useMutation({
    mutationFn: () => send<{ readonly status: string }>('POST', `executions/${id}/replay${queryText({ userId })}`, {}),
    onError: failed,
  });
  return (
    <>
      <button type="button" className="button" disabled={replay.isPending} onClick={() => replay.mutate()}>
        {replay.isPending ? 'Replaying' : 'Replay'}
      </button>
      {replay.data && <span role="status">Replay: {replay.data.status}</span>}
    </>
  );
}
