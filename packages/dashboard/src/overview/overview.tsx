import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { request } from '../api/client.ts';
import { get, queryText, useScope } from '../api/session.ts';
import type { Usage } from '../api/types.ts';
import { platform } from '../app/platforms/current.ts';
import { useTitle } from '../app/title.ts';
import { count, dollars, duration } from '../parts/format.ts';
import { useFailureNotice } from '../parts/notice.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Text } from '../text/text.tsx';
import { Chart } from './chart.tsx';

const HOUR_MS = 3_600_000;
const RANGES = [
  ['24h', 'Last day', 24, 'hour'],
  ['7d', 'Last week', 168, 'day'],
  ['30d', 'Last 30 days', 720, 'day'],
] as const;
const REFRESH_MS = 30_000;
const route = getRouteApi('/ui/overview');

/** Figures of a time range: executions, failures, tokens, cost and times. */
export function Overview(): ReactNode {
  useTitle('Overview');
  const search = route.useSearch();
  const navigate = useNavigate();
  const failed = useFailureNotice();
  const [range, , hours, bucket] = RANGES.find(([name]) => name === search.range) ?? RANGES[1];
  const scope = useScope(search.userId);
  const parameters = () => {
    const now = Math.floor(Date.now() / REFRESH_MS) * REFRESH_MS;
    return queryText({ ...scope, bucket, from: new Date(now - hours * HOUR_MS).toISOString() });
  };
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['usage', range, scope],
    queryFn: ({ signal }) => get<Usage>(`usage${parameters()}`, signal),
    refetchInterval: REFRESH_MS,
  });
  const saveCsv = async () => {
    const text = await (await request(`usage${parameters()}`, { headers: { accept: 'text/csv' } })).text();
    platform.saveFile(`toolwright-usage-${range}.csv`, text, 'text/csv');
  };
  return (
    <div className="h-full overflow-auto">
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-panel p-2">
        <h1>Overview</h1>
        {search.userId !== undefined && (
          <Link to="/ui/overview" search={{ range }} className="button">
            <Text value={search.userId} limit={40} /> ×
          </Link>
        )}
        <select
          aria-label="Time"
          value={range}
          className="ml-auto"
          onChange={(event) => void navigate({ to: '/ui/overview', search: { ...search, range: event.target.value } })}
        >
          {RANGES.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <button type="button" className="button" onClick={() => void saveCsv().catch(failed)}>
          Export CSV
        </button>
      </div>
      {isPending ? (
        <Loading rows={8} label="Loading figures" />
      ) : error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : data.totals.executions === 0 ? (
        <Empty title="No executions in this time">Choose a longer time.</Empty>
      ) : (
        <Figures usage={data} range={range} />
      )}
    </div>
  );
}

function Figures({ usage, range }: { readonly usage: Usage; readonly range: string }): ReactNode {
  const { totals, tasks, queue, personalData, series, tools, users, from, to } = usage;
  const replaced = Object.entries(personalData).sort(([, a], [, b]) => b - a);
  const percent = totals.directTokens > 0 ? ` (${Math.round((totals.savedTokens / totals.directTokens) * 100)} %)` : '';
  return (
    <div className="grid gap-2 p-2 lg:grid-cols-2">
      <dl className="panel grid grid-cols-2 gap-x-4 gap-y-3 p-3 sm:grid-cols-4 lg:col-span-2">
        <Figure name="Executions" value={count(totals.executions)} note={`${count(totals.open)} open`} />
        <Figure
          name="Failed"
          value={count(totals.failed + totals.stopped)}
          isBad={totals.failed + totals.stopped > 0}
          note={`${count(totals.stopped)} by a limit`}
        />
        <Figure name="Tool calls" value={count(totals.toolCalls)} note={`${count(totals.toolErrors)} failed`} />
        <Figure name="Tokens saved" value={count(totals.savedTokens)} note={`compared with direct calls${percent}`} />
        <Figure
          name="Time, p50"
          value={totals.p50Ms === undefined ? '–' : duration(totals.p50Ms)}
          note={totals.p95Ms === undefined ? '' : `p95 ${duration(totals.p95Ms)}`}
        />
        <Figure
          name="Cost of tasks"
          value={tasks.costUsd === undefined ? '–' : dollars(tasks.costUsd)}
          note={`${count(tasks.count)} tasks`}
        />
        <Figure name="Queue" value={count(queue.waiting)} note={`${count(queue.running)} running`} />
        <Figure
          name="Personal data replaced"
          value={count(replaced.reduce((sum, [, number]) => sum + number, 0))}
          note={replaced
            .slice(0, 3)
            .map(([type, number]) => `${type} ${count(number)}`)
            .join(', ')}
        />
      </dl>
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
      <Ranking title="Tools" head={['Tool', 'Calls', 'Failed']}>
        {tools.map(({ tool, calls, failed }) => (
          <Row key={tool} numbers={[calls, failed]} isBad={failed > 0}>
            <Link to="/ui/executions" search={{ tool }} className="code">
              <Text value={tool} limit={80} />
            </Link>
          </Row>
        ))}
      </Ranking>
      <Ranking title="Users" head={['User', 'Executions', 'Failed']}>
        {users.map(({ userId, executions, failed }) => (
          <Row key={userId} numbers={[executions, failed]} isBad={failed > 0}>
            <Link to="/ui/overview" search={{ userId, range }}>
              <Text value={userId} limit={80} />
            </Link>
          </Row>
        ))}
      </Ranking>
    </div>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly isBad?: boolean;
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

function Ranking({
  title,
  head,
  children,
}: {
  readonly title: string;
  readonly head: readonly string[];
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section aria-label={title} className="panel overflow-x-auto p-3">
      <h2>{title}</h2>
      <table className="mt-1 w-full">
        <thead>
          <tr className="text-left text-xs text-muted">
            {head.map((name, index) => (
              <th key={name} scope="col" className={`py-1 font-normal ${index > 0 ? 'w-24 text-right' : ''}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function Row({
  numbers,
  isBad,
  children,
}: {
  readonly numbers: readonly number[];
  readonly isBad: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1 pr-2 text-left font-normal">
        {children}
      </th>
      {numbers.map((number, index) => (
        <td key={index} className={`text-right ${isBad && index === numbers.length - 1 ? 'text-bad' : ''}`}>
          {count(number)}
        </td>
      ))}
    </tr>
  );
}
