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
import { count, dollars, duration } from '../text/format.ts';
import { Text } from '../text/text.tsx';
import { Chart } from './chart.tsx';
import { Ranking, Row } from './ranking.tsx';

const PRESETS = [
  [24, 'Last day'],
  [168, 'Last week'],
  [720, 'Last 30 days'],
] as const;
const DEFAULT_RANGE: TimeRange = { hours: 168 };
const REFRESH_MS = 30_000;
const route = getRouteApi('/ui/overview');

interface FiguresProps {
  readonly usage: Usage;
  readonly range: TimeRange;
  /** The user whose figures are shown. Default: all users that the person may see. */
  readonly userId: string | undefined;
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly isBad?: boolean;
}

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

/** The figures of a time, with charts and tables. A tool opens its executions, a user the figures of this user. */
function Figures({ usage, range, userId }: FiguresProps): ReactNode {
  const { personalData, series, tools, users, failures, from, to } = usage;
  const replaced = Object.entries(personalData).sort(([, a], [, b]) => b - a);
  return (
    <div className="grid gap-2 p-2 lg:grid-cols-2">
      <Totals usage={usage} />
      <Chart
        title="Executions"
        series={series}
        lines={[
          ['executions', 'Executions'],
          ['failed', 'Failed'],
        ]}
        format={count}
        range={[from, to]}
      />
      <Chart
        title="Time"
        series={series}
        lines={[
          ['p50Ms', 'p50'],
          ['p95Ms', 'p95'],
        ]}
        format={duration}
        range={[from, to]}
      />
      <Ranking title="Tools" head={['Tool', 'p50', 'p95', 'Calls', 'Failed']}>
        {tools.map(({ tool, calls, failed, p50Ms, p95Ms }) => (
          <Row key={tool} times={[p50Ms, p95Ms]} numbers={[calls, failed]} isBad={failed > 0}>
            <Link to="/ui/executions" search={{ ...range, tool, userId }} className="code">
              <Text value={tool} limit={80} />
            </Link>
          </Row>
        ))}
      </Ranking>
      {failures.length > 0 && (
        <Ranking title="Failures by cause" head={['Cause', 'Executions']}>
          {failures.map(({ status, code, executions }) => (
            <Row key={`${status} ${code}`} numbers={[executions]} isBad>
              <Link
                to="/ui/executions"
                search={status === 'failed' ? { ...range, userId, error: code } : { ...range, userId, status }}
                className="code"
              >
                <Text value={code} limit={80} />
              </Link>
            </Row>
          ))}
        </Ranking>
      )}
      <Ranking title="Users" head={['User', 'Executions', 'Failed']}>
        {users.map((user) => (
          <Row key={user.userId} numbers={[user.executions, user.failed]} isBad={user.failed > 0}>
            <Link to="/ui/overview" search={{ ...range, userId: user.userId }}>
              <Text value={user.userId} limit={80} />
            </Link>
          </Row>
        ))}
      </Ranking>
      {replaced.length > 0 && (
        <Ranking title="Personal data" head={['Type', 'Replaced']}>
          {replaced.map(([type, number]) => (
            <Row key={type} numbers={[number]}>
              <Text value={type} limit={80} />
            </Row>
          ))}
        </Ranking>
      )}
    </div>
  );
}

function Totals({ usage: { totals, tasks, queue, personalData } }: { readonly usage: Usage }): ReactNode {
  const types = Object.values(personalData);
  const saves = totals.savedTokens >= 0;
  const percent =
    totals.directTokens > 0 ? ` (${Math.round((Math.abs(totals.savedTokens) / totals.directTokens) * 100)} %)` : '';
  return (
    <dl className="panel grid grid-cols-2 gap-x-4 gap-y-3 p-3 sm:grid-cols-4 lg:col-span-2">
      <Figure name="Executions" value={count(totals.executions)} note={`${count(totals.open)} open`} />
      <Figure
        name="Failed"
        value={count(totals.failed)}
        isBad={totals.failed > 0}
        note={`${count(totals.stopped)} more stopped by a limit`}
      />
      <Figure name="Tool calls" value={count(totals.toolCalls)} note={`${count(totals.toolErrors)} failed`} />
      <Figure
        name="Tokens saved"
        value={count(totals.savedTokens)}
        note={
          saves
            ? `less than direct calls${percent}`
            : `more than direct calls${percent}: programs of one call save nothing`
        }
      />
      <Figure
        name="Time, p50"
        value={totals.p50Ms === undefined ? '–' : duration(totals.p50Ms)}
        note={totals.p95Ms === undefined ? '' : `p95 ${duration(totals.p95Ms)}`}
      />
      <Figure name="Cost of tasks" value={costText(tasks)} note={costNote(tasks)} />
      <Figure name="Queue" value={count(queue.waiting)} note={`${count(queue.running)} running`} />
      <Figure
        name="Personal data replaced"
        value={count(types.reduce((sum, number) => sum + number, 0))}
        note={`${count(types.length)} ${types.length === 1 ? 'type' : 'types'}`}
      />
    </dl>
  );
}

/** Returns the dollars of tasks: the least, where some tasks are left out. */
function costText({ count: number, costUsd, unpriced, isPartial }: Usage['tasks']): string {
  if (unpriced > 0 && unpriced === number) return '–';
  return `${isPartial || unpriced > 0 ? 'at least ' : ''}${dollars(costUsd)}`;
}

function costNote({ count: number, unpriced, isPartial }: Usage['tasks']): string {
  const tasks = `${count(number)} ${number === 1 ? 'task' : 'tasks'}`;
  return [
    isPartial ? `only ${tasks} were read` : tasks,
    ...(unpriced > 0 ? [`${count(unpriced)} without a known price`] : []),
  ].join(', ');
}

function Figure({ name, value, note, isBad = false }: FigureProps): ReactNode {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className={`text-xl font-semibold ${isBad ? 'text-bad' : ''}`}>{value}</dd>
      <dd className="text-xs text-muted">{note}</dd>
    </div>
  );
}
