// A script that plays the model: it follows the plan of a task without a mistake. Tokens are counted with o200k_base.
import { tokens } from '../tokens/transcript.mjs';

/** Returns a model for one run of a task. */
export function scriptFor(task, way) {
  const steps = way === 'direct' || way === 'search' ? callSteps(task, way) : programSteps(task);
  let received = [];
  return {
    name: 'script',
    received: (results) => {
      received = results;
    },
    async answer({ system, messages, tools }) {
      const { value, done } = steps.next(received);
      const message = done
        ? { role: 'assistant', text: value, calls: [] }
        : { role: 'assistant', text: '', calls: numbered(value) };
      const inputTokens = tokens(JSON.stringify([system, tools, messages]));
      return { message, end: done ? 'stop' : 'calls', usage: usageOf(inputTokens, message) };
    },
  };
}

function* callSteps(task, way) {
  if (way === 'search') yield [['search_tools', { query: task.search.map(({ query }) => query).join('\n') }]];
  const plan = task.direct({ compound: true });
  let step = plan.next();
  while (!step.done) {
    const wrapped = ([name, args]) => ['call_tool', { name, arguments: args }];
    const results = yield way === 'search' ? step.value.map(wrapped) : step.value;
    step = plan.next(results.map(({ value }) => value));
  }
  return task.formatAnswer(step.value);
}

function* programSteps(task) {
  yield [['search_tools', { query: task.search.map(({ query }) => query).join('\n') }]];
  const plan = task.programs();
  let step = plan.next();
  while (!step.done) {
    const [{ value }] = yield [['execute_code', { code: step.value }]];
    step = plan.next(value);
  }
  return task.formatAnswer(step.value);
}

function numbered(calls) {
  return calls.map(([tool, input], index) => ({ id: `call-${index}`, tool, input }));
}

function usageOf(inputTokens, message) {
  return { inputTokens, outputTokens: tokens(JSON.stringify(message)), cachedTokens: 0 };
}
