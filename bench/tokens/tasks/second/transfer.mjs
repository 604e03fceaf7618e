// Transfers of data from one server to another.
import { READ_FILE, read, textOf } from '../task.mjs';

const SALES = 'data/sales.csv';
const RENEWALS = 'data/renewals.txt';
const ROOMS = 'data/rooms.txt';
const CALL = { start: '2026-04-01T10:00', minutes: 30 };
const DUE = 'Renewal is due.';
const CREATE_ENTITIES = { query: 'store facts for later', finds: ['memory__create_entities'] };
const urgent = (tickets) => tickets.filter(({ sev, assignee }) => sev === 1 && assignee !== null);
const callOf = ({ key, assignee }) => ({ title: `Call about ${key}`, ...CALL, attendees: [assignee] });

function regions(text) {
  const sums = {};
  for (const line of text.trim().split('\n').slice(1)) {
    const [, region, , units, price] = line.split(',');
    sums[region] = (sums[region] ?? 0) + units * price;
  }
  return Object.keys(sums)
    .sort()
    .map((region) => ({ name: `Region ${region}`, entityType: 'region', observations: [`revenue: ${sums[region]}`] }));
}

const roomOf = ({ observations }) => /^room (\d+)$/.exec(observations.find((text) => text.startsWith('room ')))[1];
const roomsText = (laptops) => laptops.map((laptop) => `${laptop.name}: ${roomOf(laptop)}\n`).join('');

export const transfer = [
  {
    id: 'urgent-calls',
    prompt: `For each open support ticket of severity 1 that is assigned to somebody, put a ${CALL.minutes}-minute meeting "Call about KEY" with that person into the calendar, at ${CALL.start}. How many are that?`,
    search: [
      { query: 'search support tickets', finds: ['tickets__search_tickets'] },
      { query: 'create a calendar event', finds: ['calendar__create_event'] },
    ],
    *direct() {
      const [first] = yield [['tickets__search_tickets', { state: 'open' }]];
      const rest = [];
      for (let page = 2; page <= first.pages; page++) rest.push(['tickets__search_tickets', { state: 'open', page }]);
      const pages = [first, ...(rest.length > 0 ? yield rest : [])];
      const found = urgent(pages.flatMap(({ items }) => items));
      yield found.map((ticket) => ['calendar__create_event', callOf(ticket)]);
      return found.length;
    },
    // The search tool has no output schema, so the first program returns the start of its result.
    *programs() {
      yield `const found = await servers.tickets.search_tickets({state: "open"});
return JSON.stringify(found).slice(0, 700) + JSON.stringify(found).slice(-60);`;
      return yield `let made = 0;
for (let page = 1, pages = 1; page <= pages; page++) {
  const found = await servers.tickets.search_tickets({state: "open", page});
  pages = found.pages;
  for (const t of found.items.filter((t) => t.sev === 1 && t.assignee)) {
    await servers.calendar.create_event({title: \`Call about \${t.key}\`, start: "${CALL.start}", minutes: ${CALL.minutes}, attendees: [t.assignee]});
    made++;
  }
}
return made;`;
    },
    mistake: { right: 'search_tickets', wrong: 'list_tickets' },
    formatAnswer: (count) => `${count} meetings are in the calendar.`,
    expected: ({ tickets }) => urgent(tickets.filter(({ state }) => state === 'open')).length,
    after({ tickets, calendar }) {
      for (const ticket of urgent(tickets.filter(({ state }) => state === 'open'))) {
        calendar.push({ id: `E-${9_001 + calendar.length}`, ...callOf(ticket) });
      }
    },
  },
  {
    id: 'room-list',
    prompt: `Write the laptops of the knowledge graph to ${ROOMS}, one "NAME: ROOM" on each line, in alphabetical order of the names; the observations have the room. How many are there?`,
    search: [
      { query: 'search the knowledge graph', finds: ['memory__search_nodes', 'memory__read_graph'] },
      { query: 'write a text file', finds: ['filesystem__write_file'] },
    ],
    *direct() {
      const [{ entities }] = yield [['memory__search_nodes', { query: 'laptop' }]];
      const laptops = entities
        .filter(({ name }) => name.startsWith('Laptop'))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      yield [['filesystem__write_file', { path: ROOMS, content: roomsText(laptops) }]];
      return laptops.length;
    },
    *programs() {
      yield `const { entities } = await servers.memory.search_nodes({query: "laptop"});
return { count: entities.length, some: entities.slice(0, 2) };`;
      return yield `const { entities } = await servers.memory.search_nodes({query: "laptop"});
const lines = entities.filter((e) => e.name.startsWith("Laptop")).map((e) => \`\${e.name}: \${e.observations.find((o) => o.startsWith("room ")).slice(5)}\\n\`);
await servers.filesystem.write_file({path: "${ROOMS}", content: lines.sort().join("")});
return lines.length;`;
    },
    mistake: { right: 'entities.length', wrong: 'nodes.length' },
    formatAnswer: (count) => `${ROOMS} lists ${count} laptops.`,
    expected: ({ graph }) => graph.filter(({ entityType }) => entityType === 'asset').length,
    after({ graph, files }) {
      const laptops = graph.filter(({ entityType }) => entityType === 'asset');
      files[ROOMS] = roomsText(laptops.sort((a, b) => (a.name < b.name ? -1 : 1)));
    },
  },
  {
    id: 'renewal-notes',
    prompt: `${RENEWALS} holds customer ids, one on each line. Add the note "${DUE}" to the first ten of these customers. Which of them are that?`,
    search: [READ_FILE, { query: 'add a note to a customer', finds: ['crm__add_note'] }],
    *direct() {
      const [file] = yield [read(RENEWALS)];
      const ids = textOf(file).split('\n').slice(0, 10);
      yield ids.map((customerId) => ['crm__add_note', { customerId, text: DUE }]);
      return ids;
    },
    *programs() {
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${RENEWALS}"});
const ids = content.split("\\n").slice(0, 10);
await Promise.all(ids.map((customerId) => servers.crm.add_note({customerId, text: "${DUE}"})));
return ids;`;
    },
    mistake: { right: '{customerId, text', wrong: '{customerId, note' },
    formatAnswer: (ids) => ids.join(', '),
    expected: ({ files }) => files[RENEWALS].split('\n').slice(0, 10),
    after({ files, crm }) {
      for (const customerId of files[RENEWALS].split('\n').slice(0, 10)) crm.notes.push({ customerId, text: DUE });
    },
  },
  {
    id: 'region-entities',
    prompt: `${SALES} has the columns date, region, product, units, price. Put each region into the knowledge graph: an entity "Region NAME" of type region with the observation "revenue: SUM" (units times price). How many are new?`,
    indirect: true,
    search: [{ query: 'see what is inside a table', finds: READ_FILE.finds }, CREATE_ENTITIES],
    *direct() {
      const [file] = yield [read(SALES)];
      const entities = regions(textOf(file));
      yield [['memory__create_entities', { entities }]];
      return entities.length;
    },
    *programs() {
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${SALES}"});
const sums: Record<string, number> = {};
for (const line of content.trim().split("\\n").slice(1)) {
  const [, region, , units, price] = line.split(",");
  sums[region] = (sums[region] ?? 0) + Number(units) * Number(price);
}
const { entities } = await servers.memory.create_entities({entities: Object.keys(sums).map((region) => ({
  name: \`Region \${region}\`, entityType: "region", observations: [\`revenue: \${sums[region]}\`],
}))});
return entities.length;`;
    },
    mistake: { right: 'entityType:', wrong: 'type:' },
    formatAnswer: (count) => `${count} regions are new.`,
    expected: ({ files }) => regions(files[SALES]).length,
    after: ({ files, graph }) => graph.push(...regions(files[SALES]).map((entity) => ({ type: 'entity', ...entity }))),
  },
];
