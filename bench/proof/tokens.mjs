// Counts the tokens that a model reads and writes for a task: with direct calls, with a search and calls, and with one program.
import { shownDefinition } from '../tokens/agent.mjs';
import { tokens } from '../tokens/transcript.mjs';
import { writeProgram } from './programs.mjs';
import { startToolwright } from './toolwright.mjs';

const SEARCH =
  '{"name":"search_tools","description":"Finds tools by what they do.","input_schema":{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}}';
const CALL =
  '{"name":"call_tool","description":"Calls a tool by its name.","input_schema":{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},"required":["name","arguments"]}}';

/**
 * Returns the tokens of all tasks by three ways. `once` counts each text once, as with a perfect cache. `resent` counts the whole
 * context again for each turn. A search finds just the tools of the task, for both ways that search.
 */
export async function countTranscripts({ tools, definitions, tasks, folder }) {
  const byName = new Map(definitions.map((definition) => [definition.name, shownDefinition(definition)]));
  const names = [...new Set(tasks.flatMap(({ gold }) => gold.log.map(({ name }) => name)))];
  const toolwright = await startToolwright(folder, tools.url, {
    sandbox: 'quickjs',
    redaction: true,
    language: 'typescript',
  });
  const texts = await toolwright.ask({ do: 'texts', tools: names });
  await toolwright.close();
  const signatures = new Map(names.map((name, index) => [name, texts.signatures[index]]));
  const ways = { direct: empty(), search: empty(), program: empty() };
  for (const { gold } of tasks) {
    const used = [...new Set(gold.log.map(({ name }) => name))];
    const calls = gold.log.map((entry) => [written(entry), shown(entry)]);
    add(ways.direct, [[...byName.values()].join('\n')], calls);
    const found = used.map((name) => [`{"query":"${name}"}`, byName.get(name)]);
    add(ways.search, [SEARCH, CALL], [...found, ...calls]);
    const { code } = writeProgram('tasks', gold.log, 'typescript');
    const search = [`{"query":${JSON.stringify(used)}}`, used.map((name) => signatures.get(name)).join('\n')];
    add(ways.program, [...texts.definitions, texts.instructions], [search, [code, '{"failures":[]}']]);
  }
  return ways;
}

const empty = () => ({ once: 0, resent: 0 });
const written = ({ name, arguments: args }) => JSON.stringify({ name, arguments: args });
const shown = ({ value, error }) => error ?? (typeof value === 'string' ? value : JSON.stringify(value));

function add(way, before, turns) {
  let context = before.reduce((sum, text) => sum + tokens(text), 0);
  way.once += context;
  for (const [output, input] of turns) {
    way.resent += context + tokens(output);
    way.once += tokens(output) + tokens(input);
    context += tokens(output) + tokens(input);
  }
  way.resent += context;
}
