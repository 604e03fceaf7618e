// Tools called one by one: what each answers goes through the model.
import { addTurn, tokens, written } from '../transcript.mjs';

/** As a plain client does it: one call in each turn, no tool that does several things at once. */
export const NAIVE = { compound: false, parallel: false, show: ({ text }) => text };
/** As well as it can be done: parallel calls, compound tools, each answer in its shorter form. */
export const BEST = {
  compound: true,
  parallel: true,
  show: ({ text, structured }) => (structured && tokens(structured) < tokens(text) ? structured : text),
};

/** Follows the task's plan; `write` is how a call is written. Gives the answer. */
export async function callDirectly(transcript, task, direct, style, write = written) {
  const plan = task.direct({ compound: style.compound });
  let step = plan.next();
  while (!step.done) {
    const calls = step.value;
    const results = style.parallel
      ? await Promise.all(calls.map(([id, args]) => direct.call(id, args)))
      : await inSequence(calls, direct);
    const texts = calls.map(([id, args]) => write(id, args));
    if (style.parallel) addTurn(transcript, 'calls', texts, results.map(style.show));
    else
      for (const [index, text] of texts.entries()) addTurn(transcript, 'calls', [text], [style.show(results[index])]);
    step = plan.next(results.map(({ data }) => data));
  }
  const answer = task.say(step.value);
  addTurn(transcript, 'answer', [answer], []);
  return answer;
}

async function inSequence(calls, direct) {
  const results = [];
  for (const [id, args] of calls) results.push(await direct.call(id, args));
  return results;
}
