// Tools that the model calls directly: each result passes through the model.
import { addTurn, tokens, written } from '../transcript.mjs';

/** A plain client: one call per turn, no compound tools. */
export const NAIVE = { compound: false, parallel: false, show: ({ text }) => text };
/** An optimised client: parallel calls, compound tools, each result in its shorter form. */
export const OPTIMISED = {
  compound: true,
  parallel: true,
  show: ({ text, structured }) => (structured && tokens(structured) < tokens(text) ? structured : text),
};

/** Runs the plan of a task and returns the answer. `write` formats a call. */
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
  const answer = task.formatAnswer(step.value);
  addTurn(transcript, 'answer', [answer], []);
  return answer;
}

async function inSequence(calls, direct) {
  const results = [];
  for (const [id, args] of calls) results.push(await direct.call(id, args));
  return results;
}
