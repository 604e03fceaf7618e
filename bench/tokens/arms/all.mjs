// The arms of the benchmark: ways in which an agent may work. Each fills a transcript and returns the answer.
import { CALL_TOOL, shownDefinition } from '../agent.mjs';
import { openTranscript, written } from '../transcript.mjs';
import { attemptAtOnce, runPrograms } from './code.mjs';
import { callDirectly, NAIVE, OPTIMISED } from './direct.mjs';
import { isShown, searchForTools } from './discovery.mjs';

/** Arms by short name. `setup` is a catalog with its clients; see `setup.mjs`. */
export const ARMS = {
  'D-json': {
    title: 'direct, all definitions, call by call, no cache',
    cached: false,
    run: (task, setup) => direct(task, setup, NAIVE),
  },
  'D-best': {
    title: 'optimised direct calling: all definitions, parallel calls, compound tools, cache',
    run: (task, setup) => direct(task, setup, OPTIMISED),
  },
  S: {
    title: 'search, then calls one by one (in parallel where possible)',
    async run(task, { agent: { core }, clients }) {
      const transcript = openTranscript([core.searchDefinition, shownDefinition(CALL_TOOL)], task.prompt);
      const misses = await searchForTools(transcript, task.search, core);
      const write = (name, args) => written('call_tool', { name, arguments: args });
      return { transcript, misses, answer: await callDirectly(transcript, task, clients, OPTIMISED, write) };
    },
  },
  'C-full': { title: 'code, the tool profile full', run: (task, { agent }) => code(task, agent.full) },
  'C-core': {
    title: 'code, the default configuration (tool profile core)',
    run: (task, { agent }) => code(task, agent.core),
  },
  'C+err': {
    title: 'like C-core, and the first program fails',
    run: (task, { agent }) => code(task, agent.core, { fail: true }),
  },
  'C-blind': {
    title: 'like C-core, but the first program of a reading job searches and calls at once',
    like: 'C-core',
    isFor: ({ attempt }) => attempt !== undefined,
    run: (task, { agent }) => code(task, agent.core, { isBlind: true }),
  },
  'C-again': {
    title: 'like C-core, in a later conversation of a user who did the same before',
    once: true,
    async run(task, { connectAgain }, reset) {
      const before = await connectAgain();
      await code(task, before);
      await before.close();
      reset();
      const agent = await connectAgain();
      try {
        return await code(task, agent);
      } finally {
        await agent.close();
      }
    },
  },
};

async function direct(task, { clients, definitions }, style) {
  const transcript = openTranscript(definitions, task.prompt);
  return { transcript, answer: await callDirectly(transcript, task, clients, style) };
}

async function code(task, agent, options = {}) {
  const transcript = openTranscript([...agent.definitions, agent.instructions], task.prompt);
  const unknown = task.search.filter((wanted) => !isShown(wanted, agent.instructions));
  const first = options.isBlind && unknown.length > 0 ? await attemptAtOnce(transcript, task, agent, options) : {};
  if (first.answer !== undefined) return { transcript, ...first };
  const missing = unknown.filter((wanted) => !isShown(wanted, first.text ?? ''));
  const misses = await searchForTools(transcript, missing, agent);
  const fail = options.fail && !first.failed;
  return { transcript, misses, ...(await runPrograms(transcript, task, agent, { fail })) };
}
