// The shape of the data is unknown, so the first of two programs returns a sample.
import { READ_FILE, read, textOf } from './task.mjs';

const READINGS = 'data/readings.dat';
const WARRANTY = /^warranty: (.+)$/;

function warmth(text) {
  const values = text
    .split('\n')
    .filter((line) => line.startsWith('s3;') && line.endsWith('ok=1'))
    .map((line) => Number(/t=(-?\d+)/.exec(line)[1]));
  return (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(1);
}

const severities = (tickets) => {
  const counts = {};
  for (const { sev } of tickets) counts[sev] = (counts[sev] ?? 0) + 1;
  return counts;
};

const expired = (entities) =>
  entities
    .filter(({ observations = [] }) => observations.some((text) => (WARRANTY.exec(text)?.[1] ?? '9') < '2026'))
    .map(({ name }) => name)
    .sort();

export const look = [
  {
    id: 'open-by-severity',
    prompt: 'How many open support tickets are there of each severity?',
    search: [{ query: 'search support tickets', finds: ['tickets__search_tickets'] }],
    *direct() {
      const [first] = yield [['tickets__search_tickets', { state: 'open' }]];
      const rest = [];
      for (let page = 2; page <= first.pages; page++) rest.push(['tickets__search_tickets', { state: 'open', page }]);
      const others = rest.length > 0 ? yield rest : [];
      return severities([first, ...others].flatMap(({ items }) => items));
    },
    *programs() {
      yield `const found = await servers.tickets.search_tickets({state: "open"});
return JSON.stringify(found).slice(0, 700) + JSON.stringify(found).slice(-60);`;
      return yield `const counts: Record<string, number> = {};
for (let page = 1, pages = 1; page <= pages; page++) {
  const found = await servers.tickets.search_tickets({state: "open", page});
  pages = found.pages;
  for (const { sev } of found.items) counts[sev] = (counts[sev] ?? 0) + 1;
}
return counts;`;
    },
    mistake: { right: 'search_tickets', wrong: 'list_tickets' },
    formatAnswer: (counts) =>
      Object.keys(counts)
        .sort()
        .map((sev) => `severity ${sev}: ${counts[sev]}`)
        .join('\n'),
    expected: ({ tickets }) => severities(tickets.filter(({ state }) => state === 'open')),
  },
  {
    id: 'sensor-mean',
    prompt: `${READINGS} holds sensor readings. What is the mean temperature of sensor s3 over its valid readings, to one decimal?`,
    search: [READ_FILE],
    *direct() {
      const [file] = yield [read(READINGS)];
      return warmth(textOf(file));
    },
    *programs() {
      yield `servers.filesystem.read_text_file({path: "${READINGS}", head: 6})`;
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${READINGS}"});
const values = content.split("\\n").filter((line) => line.startsWith("s3;") && line.endsWith("ok=1")).map((line) => Number(/t=(-?\\d+)/.exec(line)[1]));
return (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(1);`;
    },
    mistake: { right: 'path:', wrong: 'file:' },
    formatAnswer: (mean) => `The mean is ${mean}.`,
    expected: ({ files }) => warmth(files[READINGS]),
  },
  {
    id: 'expired-warranties',
    prompt: 'Which laptops in the knowledge graph have a warranty that ended before 2026? Names in alphabetical order.',
    search: [{ query: 'find entities in the knowledge graph', finds: ['memory__search_nodes', 'memory__read_graph'] }],
    *direct() {
      const [{ entities }] = yield [['memory__search_nodes', { query: 'laptop' }]];
      return expired(entities);
    },
    *programs() {
      yield `const { entities } = await servers.memory.search_nodes({query: "laptop"});
return { count: entities.length, some: entities.slice(0, 2) };`;
      return yield `const { entities } = await servers.memory.search_nodes({query: "laptop"});
const ended = (text) => text.startsWith("warranty: ") && text.slice(10) < "2026";
return entities.filter((e) => e.observations.some(ended)).map((e) => e.name).sort();`;
    },
    mistake: { right: 'entities.length', wrong: 'nodes.length' },
    formatAnswer: (names) => names.join(', '),
    expected: ({ graph }) => expired(graph),
  },
];
