// The shape of the data is unknown, so the first of two programs returns a sample.
import { INSIDE, READ_FILE, read, textOf } from '../task.mjs';

const READINGS = 'data/readings.dat';
const TEAM = 'data/team.csv';
const TICKETS = { query: 'search support tickets', finds: ['tickets__search_tickets'] };
const LOOK_AT_TICKETS = (state) => `const found = await servers.tickets.search_tickets({state: "${state}"});
return JSON.stringify(found).slice(0, 700) + JSON.stringify(found).slice(-60);`;

/** Yields the calls of all pages of tickets in a state. */
function* allTickets(state) {
  const [first] = yield [['tickets__search_tickets', { state }]];
  const rest = [];
  for (let page = 2; page <= first.pages; page++) rest.push(['tickets__search_tickets', { state, page }]);
  return [first, ...(rest.length > 0 ? yield rest : [])].flatMap(({ items }) => items);
}

const tagCounts = (tickets) => {
  const counts = {};
  for (const tag of tickets.flatMap(({ tags }) => tags)) counts[tag] = (counts[tag] ?? 0) + 1;
  return counts;
};
const oldest = (tickets) =>
  tickets
    .filter(({ assignee }) => assignee === null)
    .sort((a, b) => a.opened.localeCompare(b.opened) || a.key.localeCompare(b.key))[0].key;
const dampest = (text) =>
  Math.max(
    ...text
      .split('\n')
      .filter((line) => line.startsWith('s5;') && line.endsWith('ok=1'))
      .map((line) => Number(/h=(\d+)/.exec(line)[1])),
  );
const inRoom = (entities) =>
  entities
    .filter(({ observations = [] }) => observations.includes('room 7'))
    .map(({ name }) => name)
    .sort();
const graz = (text) =>
  text.split('\n').filter((line) => line.split(',')[1] === 'engineer' && line.endsWith(',Graz')).length;

export const look = [
  {
    id: 'waiting-tags',
    prompt: 'How many waiting support tickets has each tag?',
    search: [TICKETS],
    *direct() {
      return tagCounts(yield* allTickets('waiting'));
    },
    *programs() {
      yield LOOK_AT_TICKETS('waiting');
      return yield `const counts: Record<string, number> = {};
for (let page = 1, pages = 1; page <= pages; page++) {
  const found = await servers.tickets.search_tickets({state: "waiting", page});
  pages = found.pages;
  for (const tag of found.items.flatMap((t) => t.tags)) counts[tag] = (counts[tag] ?? 0) + 1;
}
return counts;`;
    },
    mistake: { right: 'search_tickets', wrong: 'find_tickets' },
    formatAnswer: (counts) =>
      Object.keys(counts)
        .sort()
        .map((tag) => `${tag}: ${counts[tag]}`)
        .join('\n'),
    expected: ({ tickets }) => tagCounts(tickets.filter(({ state }) => state === 'waiting')),
  },
  {
    id: 'oldest-unassigned',
    prompt: 'Which open support ticket that nobody is assigned to was opened first?',
    search: [TICKETS],
    *direct() {
      return oldest(yield* allTickets('open'));
    },
    *programs() {
      yield LOOK_AT_TICKETS('open');
      return yield `const free = [];
for (let page = 1, pages = 1; page <= pages; page++) {
  const found = await servers.tickets.search_tickets({state: "open", page});
  pages = found.pages;
  free.push(...found.items.filter((t) => !t.assignee));
}
return free.sort((a, b) => a.opened.localeCompare(b.opened) || a.key.localeCompare(b.key))[0].key;`;
    },
    mistake: { right: 'state:', wrong: 'status:' },
    formatAnswer: (key) => `It is ${key}.`,
    expected: ({ tickets }) => oldest(tickets.filter(({ state }) => state === 'open')),
  },
  {
    id: 'humidity-max',
    prompt: `${READINGS} holds sensor readings. What is the highest humidity of sensor s5 among its valid readings?`,
    search: [READ_FILE],
    *direct() {
      const [file] = yield [read(READINGS)];
      return dampest(textOf(file));
    },
    *programs() {
      yield `servers.filesystem.read_text_file({path: "${READINGS}", head: 6})`;
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${READINGS}"});
return Math.max(...content.split("\\n").filter((line) => line.startsWith("s5;") && line.endsWith("ok=1")).map((line) => Number(/h=(\\d+)/.exec(line)[1])));`;
    },
    mistake: { right: 'path:', wrong: 'file:' },
    formatAnswer: (humidity) => `It is ${humidity}.`,
    expected: ({ files }) => dampest(files[READINGS]),
  },
  {
    id: 'room-seven',
    prompt: 'Which laptops in the knowledge graph are in room 7? Names in alphabetical order.',
    indirect: true,
    search: [
      { query: 'what do we remember about our equipment', finds: ['memory__search_nodes', 'memory__read_graph'] },
    ],
    *direct() {
      const [{ entities }] = yield [['memory__search_nodes', { query: 'laptop' }]];
      return inRoom(entities);
    },
    *programs() {
      yield `const { entities } = await servers.memory.search_nodes({query: "laptop"});
return entities.slice(0, 2);`;
      return yield `const { entities } = await servers.memory.search_nodes({query: "laptop"});
return entities.filter((e) => e.observations.includes("room 7")).map((e) => e.name).sort();`;
    },
    mistake: { right: 'entities.slice', wrong: 'nodes.slice' },
    formatAnswer: (names) => names.join(', '),
    expected: ({ graph }) => inRoom(graph),
  },
  {
    id: 'engineers-in-graz',
    prompt: `How many engineers in Graz does ${TEAM} list?`,
    indirect: true,
    search: [INSIDE],
    *direct() {
      const [file] = yield [read(TEAM)];
      return graz(textOf(file));
    },
    *programs() {
      yield `servers.filesystem.read_text_file({path: "${TEAM}", head: 3})`;
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${TEAM}"});
return content.trim().split("\\n").map((line) => line.split(",")).filter(([, role, , city]) => role === "engineer" && city === "Graz").length;`;
    },
    mistake: { right: 'head:', wrong: 'lines:' },
    formatAnswer: (count) => `${count} engineers are in Graz.`,
    expected: ({ files }) => graz(files[TEAM]),
  },
];
