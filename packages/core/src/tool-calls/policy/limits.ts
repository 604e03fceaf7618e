import { createHash } from 'node:crypto';
import { LIMIT_TEXT, type PolicyRule } from './schema.ts';

const HOUR_MS = 3_600_000;
/** Users and rules that are counted at once. */
const MAX_HOURS = 100_000;

/** How often a rule allows calls. */
export interface RuleLimit {
  /** Identifies the rule in journals. Another text of the rule has another key, and so a new count. */
  readonly key: string;
  readonly count: number;
  readonly per: 'execution' | 'hour';
}

/** The counts of one execution and its user. */
export interface LimitCounts {
  isUsedUp(limit: RuleLimit): boolean;
  /** Counts one call. */
  use(limit: RuleLimit): void;
  /** Counts one call of a dry run that is not sent: for this execution only. */
  rehearse(limit: RuleLimit): void;
}

/** The counts of one user in the current hour. */
interface UserHours extends Pick<LimitCounts, 'use'> {
  /** Returns whether a limit is used up after `more` further calls. */
  isUsedUp(limit: RuleLimit, more?: number): boolean;
}

/** The counts of all users for an hour, in the memory of this process. */
export interface HourCounts {
  /** Returns the counts of one user. */
  of(userId: string): UserHours;
}

/** Returns the limit of a rule; undefined without one. */
export function limitOf(rule: PolicyRule): RuleLimit | undefined {
  const [, count, per] = LIMIT_TEXT.exec(rule.limit ?? '') ?? [];
  if (count === undefined) return undefined;
  const key = createHash('sha256').update(JSON.stringify(rule)).digest('hex').slice(0, 16);
  return { key, count: Number(count), per: per as RuleLimit['per'] };
}

/**
 * Creates the counts of an hour. An hour starts with the first call after the previous hour ended. When too many users are
 * counted, a new one has no calls left.
 */
export function createHourCounts(now: () => number = () => performance.now()): HourCounts {
  const hours = new Map<string, { endsAt: number; count: number }>();
  const current = (name: string) => {
    const hour = hours.get(name);
    return hour && hour.endsAt > now() ? hour : undefined;
  };
  const removeEnded = () => {
    // A map has the order of its starts, and all hours are equally long.
    for (const [name, { endsAt }] of hours) {
      if (endsAt > now()) return;
      hours.delete(name);
    }
  };
  return {
    of: (userId) => ({
      isUsedUp({ key, count }, more = 0) {
        const hour = current(`${key} ${userId}`);
        if (hour || more > 0) return (hour?.count ?? 0) + more >= count;
        removeEnded();
        return hours.size >= MAX_HOURS;
      },
      use({ key }) {
        const name = `${key} ${userId}`;
        const hour = current(name);
        if (hour) hour.count++;
        else {
          hours.delete(name);
          hours.set(name, { endsAt: now() + HOUR_MS, count: 1 });
        }
      },
    }),
  };
}

/** Creates the counts of one execution. `earlier` has the keys of the limits that its recorded calls used. */
export function createExecutionCounts(hours: UserHours, earlier: Iterable<string> = []): LimitCounts {
  const counts = new Map<string, number>();
  /** Calls of a dry run that count for limits of an hour. */
  const rehearsed = new Map<string, number>();
  const add = (key: string, to = counts) => to.set(key, (to.get(key) ?? 0) + 1);
  for (const key of earlier) add(key);
  return {
    isUsedUp: (limit) =>
      limit.per === 'hour'
        ? hours.isUsedUp(limit, rehearsed.get(limit.key) ?? 0)
        : (counts.get(limit.key) ?? 0) >= limit.count,
    use(limit) {
      if (limit.per === 'hour') hours.use(limit);
      else add(limit.key);
    },
    rehearse: ({ key, per }) => add(key, per === 'hour' ? rehearsed : counts),
  };
}
