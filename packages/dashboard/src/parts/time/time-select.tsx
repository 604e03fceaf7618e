import { type ReactNode, useEffect, useState } from 'react';
import { fieldTime, isoOf, type TimeRange, timesOf } from './time-range.ts';

const DATES = 'dates';
/** The hours before now with which two times begin. */
const FIRST_HOURS = 24;

interface TimeSelectProps {
  readonly range: TimeRange;
  readonly presets: readonly (readonly [hours: number, name: string])[];
  /** The name of the choice without a time. Without it, there is none. */
  readonly anyTime?: string;
  readonly change: (range: TimeRange) => void;
}

/** Chooses some hours before now, or two times. */
export function TimeSelect({ range, presets, anyTime, change }: TimeSelectProps): ReactNode {
  const { hours, from, to } = range;
  const hasDates = from !== undefined || to !== undefined;
  const isOther = hours !== undefined && !presets.some(([known]) => known === hours);
  const choices = isOther ? [...presets, [hours, `Last ${hours} hours`] as const] : presets;
  const choose = (value: string) => {
    if (value === DATES) change(timesOf({ hours: hours ?? FIRST_HOURS }, Date.now()));
    else change(value === '' ? {} : { hours: Number(value) });
  };
  return (
    <>
      <select
        aria-label="Time"
        value={hasDates ? DATES : (hours ?? '')}
        onChange={(event) => choose(event.target.value)}
      >
        {anyTime !== undefined && <option value="">{anyTime}</option>}
        {choices.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
        <option value={DATES}>From … until …</option>
      </select>
      {hasDates && (
        <>
          <DateField label="From" value={from} change={(time) => change({ from: time, to })} />
          <DateField label="Until" value={to} change={(time) => change({ from, to: time })} />
        </>
      )}
    </>
  );
}

interface DateFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly change: (time: string | undefined) => void;
}

/** A time that counts when it is complete. An empty field counts when the person leaves it. */
function DateField({ label, value, change }: DateFieldProps): ReactNode {
  const shown = value === undefined ? '' : fieldTime(value);
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  return (
    <input
      type="datetime-local"
      aria-label={label}
      title={label}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        const time = isoOf(target.value);
        if (time !== undefined) change(time);
      }}
      onBlur={({ target }) => {
        if (target.value === '' && !target.validity.badInput && value !== undefined) change(undefined);
      }}
    />
  );
}
