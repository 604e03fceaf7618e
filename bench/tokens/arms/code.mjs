// Programs that call tools: only what they return goes through the model.
import { addTurn, written } from '../transcript.mjs';

/** Runs the task's programs, the first with the task's mistake when `fail` says so. Gives the answer and sandbox time. */
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
      if (!failed.isError) throw new Error(`${task.id}: the mistake went unnoticed`);
      mistake = undefined;
    }
    const { text, value, isError } = await run(code);
    if (isError) throw new Error(`${task.id}: ${text}\n${code}`);
    step = plan.next(value);
  }
  if (mistake) throw new Error(`${task.id}: no program holds ${mistake.right}`);
  const answer = task.say(step.value);
  addTurn(transcript, 'answer', [answer], []);
  return { answer, sandboxMs };
}
