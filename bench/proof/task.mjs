// Runs one task as a program, with a fault, and compares its effects with those of direct calls.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/** Long, for machines whose processors are busy. After 300 s, `fetch` gives up. */
const REACH_SECONDS = 240;
const MAX_QUESTIONS = 3;
/** A dead process keeps its right to an execution for ten seconds. */
const RETRY_MS = 500;
const MAX_RETRIES = 600;
const MAX_TEXT = 500;

/**
 * Starts the program of a task. With a fault `before` or `after`, resolves when its call is held, so that the process can be killed.
 * @param holder has the process that runs programs: a kill replaces it
 * @returns `finish`, which resumes a killed program, and returns its differences from the direct calls
 */
export async function startTask({ task, fault, code }, { holder, tools }) {
  const { gold } = task;
  const id = randomUUID();
  await tools.begin(task.id, fault);
  const running = holder.current.ask({ do: 'run', id, code });
  const isKilled = fault?.kind === 'before' || fault?.kind === 'after';
  running.catch(() => {});
  if (isKilled) {
    const ended = running.then((outcome) => ({ outcome }));
    const reached = await Promise.race([tools.reached(REACH_SECONDS), ended]);
    if (reached !== true) {
      const reason = reached ? `the program ended first: ${JSON.stringify(reached)}` : `not in ${REACH_SECONDS} s`;
      const problem = `call ${fault.at} was not reached: ${reason}`.slice(0, MAX_TEXT);
      return { finish: async (isReadOnly) => ({ ...compared(await tools.end(), gold, isReadOnly), problem }) };
    }
  }
  if (!isKilled) await running;
  return {
    async finish(isReadOnly) {
      const { questions, outcome } = isKilled
        ? await resumeWithAnswers({ id, code, holder, tools, fault })
        : { questions: 0, outcome: await running };
      const { state, log } = await tools.end();
      return { questions, ...compared({ state, log }, gold, isReadOnly), ...statusOf(outcome, gold) };
    },
  };
}

/** Resumes a program, and answers its questions about unknown outcomes with the truth of the server's log. */
async function resumeWithAnswers({ id, code, holder, tools, fault }) {
  let outcome = await resume(holder.current, { id, code });
  let questions = 0;
  while (outcome.waitingFor?.includes('outcome') && questions < MAX_QUESTIONS) {
    questions++;
    await decide(holder.current, id, tools, fault);
    outcome = await resume(holder.current, { id, code });
  }
  return { questions, outcome };
}

async function resume(toolwright, program) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await toolwright.ask({ do: 'resume', ...program });
    } catch (error) {
      if (attempt === MAX_RETRIES || !error.message.startsWith('EXECUTION_RUNNING')) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** Answers like a person who looks at the server. */
async function decide(toolwright, id, tools, fault) {
  const [{ call }] = await toolwright.ask({ do: 'questions', id });
  const { log } = await tools.end();
  const last = log[fault.at - 1];
  const value = last && ('error' in last ? last.error : last.value);
  const decision =
    last === undefined ? { action: 'resend', calls: [call] } : { action: 'result', calls: [call], value };
  await toolwright.ask({ do: 'decide', id, decision });
}

function statusOf(outcome, gold) {
  const expected = gold.log.filter(({ error }) => error !== undefined).length;
  if (outcome.status !== 'completed')
    return { problem: outcome.error ?? `${outcome.status} ${outcome.waitingFor ?? ''}` };
  // A person can only report the result of a failed call, not make it fail.
  const { failures = [] } = outcome.value ?? {};
  if (failures.length <= expected) return {};
  return {
    problem: `${failures.length} calls failed, ${expected} of the direct ones: ${failures.join(' / ').slice(0, MAX_TEXT)}`,
  };
}

/** Compares states and effects. A call of a tool that only reads may be sent again: any other one has a doubled effect then. */
function compared({ state, log }, gold, isReadOnly) {
  const [done, wanted] = [countCalls(log), countCalls(gold.log)];
  const found = { equal: isDeepStrictEqual(state, gold.state), lost: 0, doubled: 0, readAgain: 0 };
  for (const [key, { times }] of wanted) found.lost += Math.max(0, times - (done.get(key)?.times ?? 0));
  for (const [key, { name, times }] of done)
    found[isReadOnly(name) ? 'readAgain' : 'doubled'] += Math.max(0, times - (wanted.get(key)?.times ?? 0));
  return found;
}

function countCalls(log) {
  const counts = new Map();
  for (const { name, arguments: args } of log) {
    const key = JSON.stringify([name, sorted(args)]);
    counts.set(key, { name, times: (counts.get(key)?.times ?? 0) + 1 });
  }
  return counts;
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
