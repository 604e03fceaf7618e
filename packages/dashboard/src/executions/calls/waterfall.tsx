import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { ExecutionCall } from '../../api/client.ts';
import { focusItem } from '../../parts/focus-item.ts';
import { duration } from '../../text/format.ts';
import { Text } from '../../text/text.tsx';
import { type Axis, axisOf, type Span } from './axis.ts';

const ROW_HEIGHT = 28;
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -1e9,
  End: 1e9,
};
const COLUMNS = 'row-grid grid-cols-[2.5rem_minmax(6rem,1fr)_4.5rem_minmax(5rem,1.4fr)] px-2';
const OUTCOMES: Readonly<
  Record<ExecutionCall['outcome'], { readonly sign: string; readonly text: string; readonly className: string }>
> = {
  answered: { sign: '', text: 'answered', className: 'bg-bar' },
  failed: { sign: '×', text: 'failed', className: 'bg-bad' },
  pending: { sign: '!', text: 'pending', className: 'bg-wait' },
  unknown: { sign: '?', text: 'outcome unknown', className: 'bg-wait' },
};

/** What the waterfall shows, and what a choice in it does. */
export interface WaterfallProps {
  readonly calls: readonly ExecutionCall[];
  readonly whole: Span;
  readonly chosen: number | undefined;
  readonly choose: (call: number | undefined) => void;
  /** Opens the details of the chosen call. */
  readonly open: () => void;
}

/** Shows the calls of an execution on a time axis: one row per call, parallel calls below each other. */
export function Waterfall({ calls, whole, chosen, choose, open }: WaterfallProps): ReactNode {
  const scroll = useRef<HTMLDivElement>(null);
  const axis = useMemo(
    () =>
      axisOf(
        calls.map((call) => spanOf(call, whole.end)),
        whole,
      ),
    [calls, whole],
  );
  const virtual = useVirtualizer({
    count: calls.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  const active = Math.max(
    0,
    calls.findIndex(({ number }) => number === chosen),
  );
  useEffect(() => {
    if (chosen !== undefined) virtual.scrollToIndex(active);
  }, [chosen, active, virtual]);
  const move = (step: number) => {
    const next = Math.max(0, Math.min(calls.length - 1, active + (chosen === undefined && step > 0 ? 0 : step)));
    choose(calls[next]?.number);
    focusItem(scroll.current, `[data-index="${next}"]`);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (event.key === 'Enter') open();
    if (event.key === 'Escape') choose(undefined);
    if (step === undefined) return;
    event.preventDefault();
    move(step);
  };
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div
        ref={scroll}
        role="treegrid"
        tabIndex={-1}
        aria-label="Tool calls"
        aria-rowcount={calls.length + 1}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-auto"
      >
        <Head ms={whole.end - whole.start} />
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const call = calls[index];
            return call ? (
              <div
                key={call.number}
                role="presentation"
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)` }}
              >
                <CallRow
                  call={call}
                  index={index}
                  axis={axis}
                  end={whole.end}
                  isChosen={call.number === chosen}
                  isActive={index === active}
                  choose={() => choose(call.number)}
                  open={open}
                />
              </div>
            ) : null;
          })}
        </div>
      </div>
      {axis.gaps.length > 0 && <p className="border-t border-line px-2 py-1 text-xs text-muted">{gapText(axis)}</p>}
    </div>
  );
}

function Head({ ms }: { readonly ms: number }): ReactNode {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={`${COLUMNS} sticky top-0 z-10 h-7 border-b border-line bg-panel text-xs text-muted`}
    >
      <span role="columnheader">#</span>
      <span role="columnheader">Tool</span>
      <span role="columnheader">Took</span>
      <span role="columnheader" className="flex justify-between">
        <span>Time</span>
        <span>{duration(ms)}</span>
      </span>
    </div>
  );
}

interface CallRowProps {
  readonly call: ExecutionCall;
  readonly index: number;
  readonly axis: Axis;
  readonly end: number;
  readonly isChosen: boolean;
  readonly isActive: boolean;
  readonly choose: () => void;
  readonly open: () => void;
}

function CallRow({ call, index, axis, end, isChosen, isActive, choose, open }: CallRowProps): ReactNode {
  const span = spanOf(call, end);
  const [left, right] = [axis.at(span.start), axis.at(span.end)];
  const { sign, text, className } = OUTCOMES[call.outcome];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of its rows
    <div
      role="row"
      data-index={index}
      aria-level={1}
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      tabIndex={isActive ? 0 : -1}
      onClick={choose}
      onDoubleClick={open}
      className={`${COLUMNS} h-7 cursor-pointer ${isChosen ? 'bg-chosen' : 'hover:bg-sunken'}`}
    >
      <span role="gridcell" className="text-muted">
        {call.number}
      </span>
      <span role="gridcell" className="code truncate">
        <Text isCut value={call.tool} limit={80} />
      </span>
      <span
        role="gridcell"
        className={call.outcome === 'failed' ? 'text-bad' : call.outcome === 'answered' ? 'text-muted' : 'text-wait'}
      >
        {sign === '' ? (
          <span className="sr-only">{text} </span>
        ) : (
          <span title={text}>
            {sign}
            <span className="sr-only"> {text}</span>{' '}
          </span>
        )}
        {call.isInvented ? 'not sent' : call.endedAt === undefined ? text : duration(span.end - span.start)}
      </span>
      <span role="gridcell" className="relative h-full">
        {axis.gaps.map((gap) => (
          <span
            key={gap.start}
            aria-hidden="true"
            className="absolute inset-y-0 border-x border-dashed border-line bg-wait-back"
            style={{ left: `${gap.from * 100}%`, width: `${(gap.to - gap.from) * 100}%` }}
          />
        ))}
        <span
          aria-hidden="true"
          className={`absolute top-2 h-3 min-w-0.5 rounded-sm ${className}`}
          style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
        />
        <span className="sr-only">starts after {duration(span.start - axis.start)}</span>
      </span>
    </div>
  );
}

function spanOf({ startedAt, endedAt }: ExecutionCall, end: number): Span {
  return { start: Date.parse(startedAt), end: endedAt === undefined ? end : Date.parse(endedAt) };
}

function gapText({ gaps }: Axis): string {
  const idle = gaps.reduce((sum, { start, end }) => sum + end - start, 0);
  return `Amber: ${duration(idle)} of waiting without calls, shown shorter.`;
}
