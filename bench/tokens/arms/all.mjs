// The arms: ways in which an agent may work. Each fills a transcript and gives the answer.
import { openTranscript, written } from '../transcript.mjs';
import { runPrograms } from './code.mjs';
import { BEST, callDirectly, NAIVE } from './direct.mjs';
import { askForTools, searchForTools } from './discovery.mjs';

/** What an agent that searches as ours does, and calls what it found one by one, has beside the search. */
const CALL_TOOL = JSON.stringify({
  name: 'call_tool',
  description: 'Calls a tool that search_tools found.',
  input_schema: {
    type: 'object',
    properties: { name: { type: 'string', description: 'server__tool' }, arguments: { type: 'object' } },
    required: ['name', 'arguments'],
  },
});

/** By short name. `place` is a catalog with its clients; see `place.mjs`. */
export const ARMS = {
  'D-json': {
    title: 'direct, all definitions, call by call, no cache',
    cached: false,
    run: (task, place) => direct(task, place, NAIVE),
  },
  'D-best': {
    title: 'direct at its best: all definitions, parallel calls, compound tools, cache',
    run: (task, place) => direct(task, place, BEST),
  },
  S: {
    title: 'search, then calls one by one (in parallel where possible)',
    async run(task, { agent, clients }) {
      const transcript = openTranscript([agent.searchDefinition, CALL_TOOL], task.prompt);
      const misses = await searchForTools(transcript, task, agent);
      const write = (name, args) => written('call_tool', { name, arguments: args });
      return { transcript, misses, answer: await callDirectly(transcript, task, clients, BEST, write) };
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
  C: { title: 'code with search', run: (task, place) => searchAndCode(task, place, {}) },
  'C+err': {
    title: 'code with search, the first program fails',
    run: (task, place) => searchAndCode(task, place, { fail: true }),
  },
};

async function direct(task, { clients, definitions }, style) {
  const transcript = openTranscript(definitions, task.prompt);
  return { transcript, answer: await callDirectly(transcript, task, clients, style) };
}

async function searchAndCode(task, { agent, indexed }, options) {
  // Where the instructions hold the index, a client that searches has their first line only.
  const instructions = indexed ? agent.instructions.split('\n')[0] : agent.instructions;
  const transcript = openTranscript([...agent.definitions, instructions], task.prompt);
  const misses = await searchForTools(transcript, task, agent);
  return { transcript, misses, ...(await runPrograms(transcript, task, agent, options)) };
}
