import { createHash } from 'node:crypto';
import { LIMIT_TEXT, type PolicyRule } from '../../config/policy/schema.ts';
import { HOUR_MS, type Hour, type SharedHours } from './shared-hours.ts';

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
  /** Returns the counts of one user. In a cluster, it begins to read those of the given rules. */
  of(userId: string, keys?: readonly string[]): UserHours;
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
 * counted, a new one has no calls left. With `shared`, the processes of a cluster count together. No call waits for the store: calls of
 * several processes within one moment may exceed a limit.
 */
export function createHourCounts(now: () => number = () => performance.now(), shared?: SharedHours): HourCounts {
  const hours = new Map<string, { endsAt: number; count: number }>();
  const current = (name: string) => {
    const hour = hours.get(name);
    return hour && hour.endsAt > now() ? hour : undefined;
  };
  const removeEnded = () => {
    for (const [name, { endsAt }] of hours) if (endsAt <= now()) hours.delete(name);
  };
  /** Notes the calls of all processes, once the store has answered. While it is away, this process counts for itself. */
  const merge = (name: string, reading: Promise<Hour | undefined> | undefined) => {
    reading?.then(
      (found) => {
        if (!found) return;
        const count = Math.max(found.count, current(name)?.count ?? 0);
        hours.delete(name);
        hours.set(name, { endsAt: now() + found.endsInMs, count });
      },
      () => undefined,
    );
  };
  const ofUser = (userId: string): UserHours => ({
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
      merge(name, shared?.add(name));
    },
  });
  return {
    of(userId, keys = []) {
      for (const key of keys) merge(`${key} ${userId}`, shared?.read(`${key} ${userId}`));
      return ofUser(userId);
    },
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
