// Programs that call tools: only their results pass through the model.
import { addTurn, written } from '../transcript.mjs';

/** Runs a program and returns its answer. Adds the turn. */
async function run(transcript, agent, code) {
  const answer = await agent.call('execute_code', { code });
  addTurn(transcript, 'code', [written('execute_code', { code })], [answer.text, ...answer.beside]);
  return answer;
}

/** Adds the answer of the model, and returns it as the user sees it. */
async function finish(transcript, agent, answer) {
  addTurn(transcript, 'answer', [answer], []);
  return agent.restore(answer);
}

/** Runs the programs of a task and returns the answer and their time. `fail` adds the task's mistake to a program. */
export async function runPrograms(transcript, task, agent, { fail = false } = {}) {
  let programMs = 0;
  const plan = task.programs();
  let mistake = fail ? task.mistake : undefined;
  let step = plan.next();
  while (!step.done) {
    const code = step.value;
    if (mistake && code.includes(mistake.right)) {
      const failed = await run(transcript, agent, code.replaceAll(mistake.right, mistake.wrong));
      if (!failed.isError) throw new Error(`${task.id}: the program with the mistake did not fail`);
      programMs += failed.ms;
      mistake = undefined;
    }
    const { text, value, isError, ms } = await run(transcript, agent, code);
    if (isError) throw new Error(`${task.id}: ${text}\n${code}`);
    programMs += ms;
    step = plan.next(value);
  }
  if (mistake) throw new Error(`${task.id}: no program contains ${mistake.right}`);
  return { answer: await finish(transcript, agent, task.formatAnswer(step.value)), programMs };
}

/**
 * Searches and calls in one program, if the task has one. Returns the answer, or the text of the answer of a program that failed or
 * called another tool. With `fail`, a program that works first fails because of a wrong argument name: `failed`.
 */
export async function attemptAtOnce(transcript, task, agent, { fail = false }) {
  if (!task.attempt) return {};
  const { value, isError } = await agent.call('execute_code', { code: task.attempt });
  const answer = isError ? undefined : answerTo(task, value);
  if (answer === undefined || !fail) {
    const { text, ms } = await run(transcript, agent, task.attempt);
    if (answer === undefined) return { text };
    return { answer: await finish(transcript, agent, answer), programMs: ms };
  }
  const failed = await run(transcript, agent, task.attempt.replace(/, \{\w+:/, ', {value:'));
  if (!failed.isError) throw new Error(`${task.id}: the attempt with a wrong argument did not fail`);
  return { text: failed.text, failed: true };
}

/** Returns the answer for the value of a task's only call; undefined for the value of another tool. */
function answerTo(task, value) {
  const plan = task.programs();
  plan.next();
  try {
    return task.formatAnswer(plan.next(value).value);
  } catch {
    return undefined;
  }
}
