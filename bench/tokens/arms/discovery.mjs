// Discovery of the tools of a task, for agents that start without definitions.
import { addTurn, written } from '../transcript.mjs';

const WIDE_LIMIT = 20;

/** Returns whether a text has the call of a suitable tool, or its name in the line of its server: `crm: get_customer add_note`. */
export const isShown = ({ finds }, text) => finds.some((id) => hasCall(id, text) || isNamed(id, text));

/** Returns whether a text has the call of a tool. */
export const hasCall = (id, text) => text.includes(`"${id}"`) || text.includes(`servers.${id.split('__').join('.')}(`);

/** Returns whether a text has the name of a tool in the line of its server. */
export function isNamed(id, text) {
  const [server, name] = id.split('__');
  const lines = text.split('\n').filter((line) => line.startsWith(`${server}: `));
  return lines.some((line) =>
    line
      .slice(server.length + 2)
      .split(' ')
      .includes(name),
  );
}

/**
 * Searches with the queries of the task, whose author did not know the names of the tools. Searches for missing tools again
 * in their server, then lists the server. Each attempt is a turn. Returns the number of tools that the first search missed.
 */
export async function searchForTools(transcript, wanted, agent) {
  if (wanted.length === 0) return 0;
  const search = async (requests) => {
    const answers = await Promise.all(requests.map((request) => agent.call('search_tools', request)));
    const calls = requests.map((request) => written('search_tools', request));
    const texts = answers.flatMap(({ text, beside }) => [text, ...beside]);
    addTurn(transcript, 'discovery', calls, texts);
    return (one) => !texts.some((text) => isShown(one, text));
  };
  let missing = wanted.filter(await search([{ query: wanted.map(({ query }) => query).join('\n') }]));
  const misses = missing.length;
  for (const request of [
    ({ query, server }) => ({ query, server }),
    ({ query, server }) => ({ query: `${query}\n${server}`, server, limit: WIDE_LIMIT }),
  ]) {
    if (missing.length === 0) return misses;
    const requests = missing.map(({ query, finds: [id] }) => request({ query, server: id.split('__')[0] }));
    missing = missing.filter(await search(requests));
  }
  if (missing.length > 0) throw new Error(`no search finds ${JSON.stringify(missing)}`);
  return misses;
}
