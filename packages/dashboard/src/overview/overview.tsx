import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { request } from '../api/client.ts';
import { get, queryText, useScope } from '../api/session.ts';
import type { Usage } from '../api/types.ts';
import { useTitle } from '../app/title.ts';
import { useFailureNotice } from '../parts/notice.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { type TimeRange, timesOf } from '../parts/time/time-range.ts';
import { TimeSelect } from '../parts/time/time-select.tsx';
import { platform } from '../platforms/current.ts';
import { Text } from '../text/text.tsx';
import { Figures } from './figures.tsx';

const PRESETS = [
  [24, 'Last day'],
  [168, 'Last week'],
  [720, 'Last 30 days'],
] as const;
const DEFAULT_RANGE: TimeRange = { hours: 168 };
const REFRESH_MS = 30_000;
const route = getRouteApi('/ui/overview');

/** Figures of a time: executions, failures, tokens, cost, times and personal data. */
export function Overview(): ReactNode {
  useTitle('Overview');
  const { userId, ...given } = route.useSearch();
  const range = Object.keys(given).length === 0 ? DEFAULT_RANGE : given;
  const navigate = useNavigate();
  const failed = useFailureNotice();
  const scope = useScope(userId);
  const path = () => `usage${queryText({ ...scope, ...timesOf(range, Date.now()) })}`;
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['usage', range, scope],
    queryFn: ({ signal }) => get<Usage>(path(), signal),
    refetchInterval: REFRESH_MS,
  });
  const saveCsv = async () => {
    const text = await (await request(path(), { headers: { accept: 'text/csv' } })).text();
    platform.saveFile(`toolwright-usage-${nameOf(range)}.csv`, text, 'text/csv');
  };
  return (
    <div className="h-full overflow-auto">
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-panel p-2">
        <h1 className="mr-auto">Overview</h1>
        {userId !== undefined && (
          <Link to="/ui/overview" search={given} className="button">
            <Text value={userId} limit={40} /> ×
          </Link>
        )}
        <TimeSelect
          range={range}
          presets={PRESETS}
          change={(next) => void navigate({ to: '/ui/overview', search: { ...next, userId } })}
        />
        <button type="button" className="button" onClick={() => void saveCsv().catch(failed)}>
          Export CSV
        </button>
      </div>
      {isPending ? (
        <Loading rows={8} label="Loading figures" />
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : data.totals.executions === 0 && data.tasks.count === 0 ? (
        <Empty title="No executions in this time">Choose a longer time.</Empty>
      ) : (
        <Figures usage={data} range={range} userId={userId} />
      )}
    </div>
  );
}

/** Returns the name of a time in the name of a file. */
function nameOf({ hours, from, to }: TimeRange): string {
  if (hours !== undefined) return `${hours}h`;
  return [from ?? 'start', to ?? 'now'].map((time) => time.slice(0, 10)).join('-to-');
}
