// Discovery of the tools of a task, for agents that start without definitions.
import { addTurn, written } from '../transcript.mjs';

const WIDE_LIMIT = 20;

/**
 * Searches with the queries of the task, whose author did not know the names of the tools. Searches for missing tools again
 * in their server, then lists the server. Each attempt is a turn. Returns the number of tools that the first search missed.
 */
export async function searchForTools(transcript, task, agent) {
  const search = async (requests) => {
    const answers = await Promise.all(requests.map((request) => agent.call('search_tools', request)));
    const calls = requests.map((request) => written('search_tools', request));
    const texts = answers.map(({ text }) => text);
    addTurn(transcript, 'discovery', calls, texts);
    return ({ finds }) => !finds.some((id) => texts.some((text) => text.includes(`"${id}"`)));
  };
  let missing = task.search.filter(await search([{ query: task.search.map(({ query }) => query).join('\n') }]));
  const misses = missing.length;
  for (const request of [
    ({ query, server }) => ({ query, server }),
    ({ query, server }) => ({ query: `${query}\n${server}`, server, limit: WIDE_LIMIT }),
  ]) {
    if (missing.length === 0) return misses;
    const requests = missing.map(({ query, finds: [id] }) => request({ query, server: id.split('__')[0] }));
    missing = missing.filter(await search(requests));
  }
  if (missing.length > 0) throw new Error(`${task.id}: no search finds ${JSON.stringify(missing)}`);
  return misses;
}

/** Requests the types of the tools of the task, for an agent that has all names. */
export async function askForTools(transcript, task, agent) {
  const requests = task.search.map(({ finds: [name] }) => ({ name }));
  const answers = await Promise.all(requests.map((request) => agent.call('get_tool_definition', request)));
  const calls = requests.map((request) => written('get_tool_definition', request));
  addTurn(
    transcript,
    'discovery',
    calls,
    answers.map(({ text }) => text),
  );
}
