// The arms of the benchmark: ways in which an agent may work. Each fills a transcript and returns the answer.
import { openTranscript, written } from '../transcript.mjs';
import { runPrograms } from './code.mjs';
import { callDirectly, NAIVE, OPTIMISED } from './direct.mjs';
import { askForTools, searchForTools } from './discovery.mjs';

/** The second tool of an agent that uses our search and calls each tool directly. */
const CALL_TOOL = JSON.stringify({
  name: 'call_tool',
  description: 'Calls a tool that search_tools found.',
  input_schema: {
    type: 'object',
    properties: { name: { type: 'string', description: 'server__tool' }, arguments: { type: 'object' } },
    required: ['name', 'arguments'],
  },
});

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
    async run(task, { agent, clients }) {
      const transcript = openTranscript([agent.searchDefinition, CALL_TOOL], task.prompt);
      const misses = await searchForTools(transcript, task, agent);
      const write = (name, args) => written('call_tool', { name, arguments: args });
      return { transcript, misses, answer: await callDirectly(transcript, task, clients, OPTIMISED, write) };
    },
  },
  L: {
    title: 'code, all names in the instructions',
    async run(task, { agent }) {
      const transcript = openTranscript([...agent.definitions, agent.instructions], task.prompt);
      await askForTools(transcript, task, agent);
      return { transcript, ...(await runPrograms(transcript, task, agent)) };
    },
  },
  C: { title: 'code with search', run: (task, setup) => searchAndCode(task, setup, {}) },
  'C+err': {
    title: 'code with search, the first program fails',
    run: (task, setup) => searchAndCode(task, setup, { fail: true }),
  },
};

async function direct(task, { clients, definitions }, style) {
  const transcript = openTranscript(definitions, task.prompt);
  return { transcript, answer: await callDirectly(transcript, task, clients, style) };
}

async function searchAndCode(task, { agent, indexed }, options) {
  // Instructions with an index make a search unnecessary. This arm measures the search, so it gets only their first line.
  const instructions = indexed ? agent.instructions.split('\n')[0] : agent.instructions;
  const transcript = openTranscript([...agent.definitions, instructions], task.prompt);
  const misses = await searchForTools(transcript, task, agent);
  return { transcript, misses, ...(await runPrograms(transcript, task, agent, options)) };
}
