import type { Bus, Database } from '@toolwright/storage/internal';
import { type Decisions, decisionOf, decisionText } from '../../journal/questions/decisions.ts';
import { questionNumber } from '../../journal/recording/recorded-entries.ts';
import { unlessRunning } from '../../unless-running.ts';

export interface DecisionRowsOptions {
  readonly database: Database;
  readonly bus: Bus;
  readonly key: () => Buffer;
}

/** The decisions of a machine or of a cluster. */
export interface DecisionRows extends Decisions {
  /** Calls the listeners with the decisions whose messages were lost. */
  look(): Promise<void>;
}

const TOPIC = 'execution-decisions';
const MOST_LOOKED = 1_000;
/** The code of PostgreSQL for a decision about an execution that was removed. */
const NO_EXECUTION = '23503';

/** Adds a decision. Its values are the execution, the call, the question, the text, and whether no journal will have it. */
export const ADD_DECISION = `insert into toolwright.decisions (execution, call, question, content, is_applied, added_at)
  values ($1, $2, $3, $4, $5, clock_timestamp()) on conflict do nothing returning call`;
const FIND = 'select content from toolwright.decisions where execution = $1 and call = $2 and question = $3';
const FORGET = 'delete from toolwright.decisions where execution = $1 and call = $2 and question = $3';
const LOOK = `select execution::text as name, call, question, extract(epoch from added_at) as added
  from toolwright.decisions where not is_applied order by added_at desc limit ${MOST_LOOKED}`;
/** Notes that a journal has a decision. Its values are the execution, the call and the question. */
export const APPLY =
  'update toolwright.decisions set is_applied = true where execution = $1 and call = $2 and question = $3';

/** Opens the decisions of a database. */
export function decisionRows({ database, bus, key }: DecisionRowsOptions): DecisionRows {
  const listeners = new Set<(executionId: string) => void>();
  /** The decisions that the listeners know. */
  let known = new Set<string>();
  let ends: (() => void)[] = [];
  const report = (id: string) => {
    for (const listener of [...listeners]) listener(id);
  };
  const look = async () => {
    if (listeners.size === 0) return;
    const rows = await database.read(LOOK);
    const found = rows.map(({ name, ...own }) => ({ id: String(name), own: `${name} ${JSON.stringify(own)}` }));
    const ids = new Set(found.filter(({ own }) => !known.has(own)).map(({ id }) => id));
    known = new Set(found.map(({ own }) => own));
    for (const id of ids) report(id);
  };
  return {
    look,
    async add(decision, { isApplied = false } = {}) {
      const { executionId, number } = decision;
      const text = decisionText(key(), decision);
      const values = [executionId, number, questionNumber(decision), text, isApplied];
      const added = await database.write(ADD_DECISION, values, { isFlushed: true }).catch((error: unknown) => {
        if (Object(Object(error).cause).code === NO_EXECUTION) return [];
        throw error;
      });
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
      if (ends.length === 0) ends = [bus.subscribe(TOPIC, report), bus.onGap(unlessRunning(look))];
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        for (const end of ends) end();
        ends = [];
      };
    },
    async forget(executionId, call, question) {
      await database.write(FORGET, [executionId, call, questionNumber({ question })]);
    },
  };
}
