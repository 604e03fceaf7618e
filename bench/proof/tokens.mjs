// Counts the tokens that a model reads and writes for a task: with direct calls, with a search and calls, and with one program.
import { CALL_TOOL, shownDefinition } from '../tokens/agent.mjs';
import { addTurn, openTranscript, price, written } from '../tokens/transcript.mjs';
import { writeProgram } from './programs.mjs';
import { startToolwright } from './toolwright.mjs';

/** One server, with the type check and the redaction of the default configuration. */
const VARIANT = { sandbox: 'quickjs', redaction: true, language: 'typescript' };

/**
 * Returns the tokens of all tasks by three ways. `once` counts each text once, `resent` the whole context again for each turn, and
 * `cached` the cost in tokens of uncached input, with a cache. A search finds just the tools of the task, for both ways that search.
 */
export async function countTranscripts({ url, definitions, tasks, folder }) {
  const byName = new Map(definitions.map((definition) => [definition.name, shownDefinition(definition)]));
  const names = [...new Set(tasks.flatMap(({ gold }) => gold.log.map(({ name }) => name)))];
  const toolwright = await startToolwright(folder, [url], VARIANT);
  const texts = await toolwright.ask({ do: 'texts', tools: names });
  await toolwright.close();
  const signatures = new Map(names.map((name, index) => [name, texts.signatures[index]]));
  const ways = { direct: empty(), search: empty(), program: empty() };
  for (const { gold } of tasks) {
    const used = [...new Set(gold.log.map(({ name }) => name))];
    const search = (of) => [written('search_tools', { query: used.join('\n') }), used.map(of).join('\n')];
    const calls = (write) => gold.log.map((entry) => [write(entry), shown(entry)]);
    const direct = ({ name, arguments: args }) => written(name, args);
    const wrapped = (entry) => written(CALL_TOOL.name, { name: entry.name, arguments: entry.arguments });
    const { code } = writeProgram('tasks0', gold.log, 'typescript');
    const program = [written('execute_code', { code }), '{"failures":[]}'];
    add(ways.direct, [...byName.values()], calls(direct));
    add(
      ways.search,
      [texts.searchDefinition, shownDefinition(CALL_TOOL)],
      [search((name) => byName.get(name)), ...calls(wrapped)],
    );
    add(ways.program, [...texts.definitions, texts.instructions], [search((name) => signatures.get(name)), program]);
  }
  return ways;
}

const empty = () => ({ once: 0, resent: 0, cached: 0 });
const shown = ({ value, error }) => error ?? (typeof value === 'string' ? value : JSON.stringify(value));

function add(way, system, turns) {
  const transcript = openTranscript(system, '');
  for (const [output, input] of turns) addTurn(transcript, 'calls', [output], [input]);
  addTurn(transcript, 'answer', [], []);
  const { contextEnd, input, output, cost } = price(transcript);
  way.once += contextEnd;
  way.resent += input + output;
  way.cached += cost;
}
