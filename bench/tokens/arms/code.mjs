// Programs that call tools: only their results pass through the model.
import { addTurn, written } from '../transcript.mjs';

/** Runs the programs of a task and returns the answer and the sandbox time. `fail` adds the task's mistake to a program. */
export async function runPrograms(transcript, task, agent, { fail = false } = {}) {
  let sandboxMs = 0;
  const run = async (code) => {
    const answer = await agent.call('execute_code', { code });
    sandboxMs += answer.runMs;
    addTurn(transcript, 'code', [written('execute_code', { code })], [answer.text]);
    return answer;
  };
  const plan = task.programs();
  let mistake = fail ? task.mistake : undefined;
  let step = plan.next();
  while (!step.done) {
    const code = step.value;
    if (mistake && code.includes(mistake.right)) {
      const failed = await run(code.replaceAll(mistake.right, mistake.wrong));
      if (!failed.isError) throw new Error(`${task.id}: the program with the mistake did not fail`);
      mistake = undefined;
    }
    const { text, value, isError } = await run(code);
    if (isError) throw new Error(`${task.id}: ${text}\n${code}`);
    step = plan.next(value);
  }
  if (mistake) throw new Error(`${task.id}: no program contains ${mistake.right}`);
  const answer = task.formatAnswer(step.value);
  addTurn(transcript, 'answer', [answer], []);
  return { answer, sandboxMs };
}
