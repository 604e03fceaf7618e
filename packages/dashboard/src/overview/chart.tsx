import { type ReactNode, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { UsageBucket } from '../api/types.ts';
import { clock } from '../text/format.ts';

type Field = Exclude<keyof UsageBucket, 'at'>;
const HEIGHT = 170;

interface ChartProps {
  readonly title: string;
  readonly series: readonly UsageBucket[];
  readonly lines: readonly (readonly [field: Field, name: string])[];
  readonly format: (value: number) => string;
  /** Start and end of the time, ISO 8601. */
  readonly range: readonly [from: string, to: string];
}

/** A chart over time. The same figures are in a table below it, for people who do not see it. */
export function Chart({ title, series, lines, format, range: [from, to] }: ChartProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element || series.length === 0) return;
    const chart = new uPlot(
      { ...optionsOf(element, lines, format), scales: scalesOf(from, to) },
      dataOf(series, lines),
      element,
    );
    const resizing = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    resizing.observe(element);
    return () => {
      resizing.disconnect();
      chart.destroy();
    };
  }, [series, lines, format, from, to]);
  return (
    <section aria-label={title} className="panel min-w-0 p-3">
      <h2 className="flex flex-wrap gap-x-3">
        {title}
        {lines.map(([field, name], index) => (
          <span key={field} className="flex items-center gap-1 font-normal text-muted">
            <span aria-hidden="true" className={`size-2 rounded-full ${index === 0 ? 'bg-bar' : 'bg-bad'}`} />
            {name}
          </span>
        ))}
      </h2>
      <div ref={box} aria-hidden="true" className="min-h-44 w-full" />
      <details className="mt-1">
        <summary className="cursor-pointer text-xs text-muted">As a table</summary>
        <table className="w-full text-right">
          <thead>
            <tr>
              <th scope="col" className="text-left">
                Time
              </th>
              {lines.map(([field, name]) => (
                <th key={field} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {series.map((bucket) => (
              <tr key={bucket.at} className="border-t border-line">
                <th scope="row" className="text-left font-normal">
                  {clock(bucket.at)}
                </th>
                {lines.map(([field]) => (
                  <td key={field}>{bucket[field] === undefined ? '–' : format(bucket[field])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

/** The whole time, and values from 0: a chart must not exaggerate a change. */
function scalesOf(from: string, to: string): uPlot.Scales {
  const seconds = (time: string) => Date.parse(time) / 1_000;
  return {
    x: { range: [seconds(from), seconds(to)] },
    y: { range: (_chart, _min, max) => [0, Math.max(1, max * 1.1)] },
  };
}

function dataOf(series: readonly UsageBucket[], lines: ChartProps['lines']): uPlot.AlignedData {
  const times = series.map(({ at }) => Date.parse(at) / 1_000);
  return [times, ...lines.map(([field]) => series.map((bucket) => bucket[field] ?? null))];
}

function optionsOf(element: HTMLElement, lines: ChartProps['lines'], format: ChartProps['format']): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const axis = { stroke: colour('muted'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
  // The second line is the one to look at: failures, and the slow ones.
  const strokes = [colour('bar'), colour('bad')];
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    axes: [axis, { ...axis, size: 64, values: (_chart, values) => values.map((value) => format(value)) }],
    series: [
      {},
      ...lines.map(([, label], index) => ({
        label,
        stroke: strokes[index] ?? colour('ink'),
        width: 1.5,
        points: { show: true, size: 5, fill: strokes[index] ?? colour('ink') },
      })),
    ],
  };
}
