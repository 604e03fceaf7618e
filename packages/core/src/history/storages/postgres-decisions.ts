import { type Decisions, decisionOf, decisionText } from '../../journal/decisions.ts';
import { questionNumber } from '../../journal/recorded-entries.ts';
import type { Bus } from '../../stores/buses/bus.ts';
import type { Postgres } from '../../stores/postgres/connection.ts';

export interface PostgresDecisionsOptions {
  readonly database: Postgres;
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>;
  readonly key: () => Buffer;
}

const TOPIC = 'execution-decisions';
const MOST_LOOKED = 1_000;

// The decision about a dry run comes after its end: no journal will have it.
const ADD = `insert into toolwright.decisions (execution, call, question, content, is_applied)
  select id, $2, $3, $4, coalesce(status <> 'suspended', false) from toolwright.executions where id = $1
  on conflict do nothing returning call`;
const FIND = 'select content from toolwright.decisions where execution = $1 and call = $2 and question = $3';
const FORGET = 'delete from toolwright.decisions where execution = $1 and call = $2 and question = $3';
const LOOK = `select execution::text as name, concat_ws('.', execution, call, question, extract(epoch from added_at)) as own
  from toolwright.decisions where not is_applied order by added_at desc limit ${MOST_LOOKED}`;

/** The decisions of a database. */
export interface PostgresDecisions extends Decisions {
  /** Calls the listeners with the decisions whose messages were lost. */
  look(): Promise<void>;
}

/** Opens the decisions of a database. */
export function postgresDecisions({ database, bus, key }: PostgresDecisionsOptions): PostgresDecisions {
  const listeners = new Set<(executionId: string) => void>();
  /** The decisions that the listeners know. */
  let known = new Set<string>();
  let unsubscribe: (() => void) | undefined;
  const report = (id: string) => {
    for (const listener of [...listeners]) listener(id);
  };
  return {
    async add(decision) {
      const { executionId, number } = decision;
      const text = decisionText(key(), decision);
      const added = await database.write(ADD, [executionId, number, questionNumber(decision), text]);
      if (added.length === 0) return false;
      report(executionId);
      bus.publish(TOPIC, executionId);
      return true;
    },
    async find(executionId, call, question) {
      const [row] = await database.read(FIND, [executionId, call, questionNumber({ question })]);
      return row && decisionOf(key(), executionId, String(row.content));
    },
    onDecision(listener) {
      listeners.add(listener);
      unsubscribe ??= bus.subscribe(TOPIC, report);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        unsubscribe?.();
        unsubscribe = undefined;
      };
    },
    async forget(executionId, call, question) {
      await database.write(FORGET, [executionId, call, questionNumber({ question })]);
    },
    async look() {
      if (listeners.size === 0) return;
      const found = (await database.read(LOOK)).map(({ name, own }) => ({ id: String(name), own: String(own) }));
      const isNew = ({ own }: { readonly own: string }) => !known.has(own);
      const ids = new Set(found.filter(isNew).map(({ id }) => id));
      known = new Set(found.map(({ own }) => own));
      for (const id of ids) report(id);
    },
  };
}
