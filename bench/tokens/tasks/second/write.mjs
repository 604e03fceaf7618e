// Many changes.
import { LIST_FOLDER, READ_FILE, readAll, textOf } from '../task.mjs';

const WEB_RETRIES = '"retries": 5';
const retriesOf = (text) => `"retries": ${JSON.parse(text).retries}`;
const isWeb = (text) => JSON.parse(text).owner === 'web' && JSON.parse(text).retries !== 5;
const isService = (path) => path.startsWith('services/');
const namesIn = (listing) =>
  textOf(listing)
    .split('\n')
    .map((line) => line.replace(/^\[\w+\] /, ''));
const paid = ({ state, tags }) => state === 'waiting' && tags.includes('billing');
const PAID = { state: 'closed', comment: 'Paid.' };
const outages = ({ state, tags, assignee }) => state === 'open' && tags.includes('outage') && assignee !== 'mira.novak';
const MARCH = { from: '2026-03-01', to: '2026-03-31' };
const budget = ({ title, start }) => title === 'Budget' && start >= MARCH.from && start < '2026-04';
const outOfWarranty = ({ observations = [] }) =>
  observations.some((text) => text.startsWith('warranty: ') && text.slice(10) < '2026');
const BY_TAG = { query: 'find support tickets with a tag', finds: ['tickets__search_tickets'] };
const LOOK = (state, tag) => `const found = await servers.tickets.search_tickets({state: "${state}", tag: "${tag}"});
return JSON.stringify(found).slice(0, 700) + JSON.stringify(found).slice(-60);`;

export const write = [
  {
    id: 'paid-tickets',
    prompt:
      'Close all waiting support tickets with the tag billing, with the comment "Paid.". Which are that, in ascending order?',
    search: [BY_TAG, { query: 'close a support ticket with a comment', finds: ['tickets__update_ticket'] }],
    *direct() {
      const [{ items }] = yield [['tickets__search_tickets', { state: 'waiting', tag: 'billing' }]];
      yield items.map(({ key }) => ['tickets__update_ticket', { key, ...PAID }]);
      return items.map(({ key }) => key).sort();
    },
    *programs() {
      yield LOOK('waiting', 'billing');
      return yield `const { items } = await servers.tickets.search_tickets({state: "waiting", tag: "billing"});
await Promise.all(items.map(({ key }) => servers.tickets.update_ticket({key, state: "closed", comment: "Paid."})));
return items.map((t) => t.key).sort();`;
    },
    mistake: { right: 'tag:', wrong: 'tags:' },
    formatAnswer: (keys) => `Closed: ${keys.join(', ')}.`,
    expected: ({ tickets }) =>
      tickets
        .filter(paid)
        .map(({ key }) => key)
        .sort(),
    after({ tickets }) {
      for (const ticket of tickets.filter(paid)) Object.assign(ticket, { state: 'closed', comments: ['Paid.'] });
    },
  },
  {
    id: 'web-retries',
    prompt:
      'The JSON files in services/ each have an owner and retries. Set retries to 5 in those of the owner web, and change nothing else in the files. How many changed?',
    search: [LIST_FOLDER, READ_FILE, { query: 'replace text in a file', finds: ['filesystem__edit_file'] }],
    *direct({ compound }) {
      const [listing] = yield [['filesystem__list_directory', { path: 'services' }]];
      const paths = namesIn(listing).map((name) => `services/${name}`);
      const texts = yield* readAll(paths, compound);
      const changed = paths.filter((_, index) => isWeb(texts[index]));
      yield changed.map((path) => [
        'filesystem__edit_file',
        { path, edits: [{ oldText: retriesOf(texts[paths.indexOf(path)]), newText: WEB_RETRIES }] },
      ]);
      return changed.length;
    },
    *programs() {
      return yield `const { content: listing } = await servers.filesystem.list_directory({path: "services"});
let changed = 0;
for (const name of listing.match(/\\S+\\.json/g)) {
  const path = "services/" + name;
  const { content } = await servers.filesystem.read_text_file({path});
  const { owner, retries } = JSON.parse(content);
  if (owner !== "web" || retries === 5) continue;
  await servers.filesystem.edit_file({path, edits: [{oldText: \`"retries": \${retries}\`, newText: '"retries": 5'}]});
  changed++;
}
return changed;`;
    },
    mistake: { right: 'edits:', wrong: 'changes:' },
    formatAnswer: (count) => `${count} files changed.`,
    expected: ({ files }) => Object.keys(files).filter((path) => isService(path) && isWeb(files[path])).length,
    after({ files }) {
      for (const path of Object.keys(files).filter((one) => isService(one) && isWeb(files[one]))) {
        files[path] = files[path].replace(retriesOf(files[path]), WEB_RETRIES);
      }
    },
  },
  {
    id: 'outage-assignee',
    prompt:
      'Assign all open support tickets with the tag outage that mira.novak does not have yet to mira.novak. How many are that?',
    indirect: true,
    search: [
      { query: 'complaints about one topic', finds: ['tickets__search_tickets'] },
      { query: 'hand work over to a colleague', finds: ['tickets__update_ticket'] },
    ],
    *direct() {
      const [{ items }] = yield [['tickets__search_tickets', { state: 'open', tag: 'outage' }]];
      const found = items.filter(outages);
      yield found.map(({ key }) => ['tickets__update_ticket', { key, assignee: 'mira.novak' }]);
      return found.length;
    },
    *programs() {
      yield LOOK('open', 'outage');
      return yield `const { items } = await servers.tickets.search_tickets({state: "open", tag: "outage"});
const found = items.filter((t) => t.assignee !== "mira.novak");
await Promise.all(found.map(({ key }) => servers.tickets.update_ticket({key, assignee: "mira.novak"})));
return found.length;`;
    },
    mistake: { right: 'search_tickets', wrong: 'list_tickets' },
    formatAnswer: (count) => `${count} tickets were assigned.`,
    expected: ({ tickets }) => tickets.filter(outages).length,
    after({ tickets }) {
      for (const ticket of tickets.filter(outages)) ticket.assignee = 'mira.novak';
    },
  },
  {
    id: 'budget-meetings',
    prompt: 'Cancel all meetings of March 2026 with the title "Budget". How many are that?',
    indirect: true,
    search: [
      { query: 'appointments of a month', finds: ['calendar__list_events'] },
      { query: 'call off an appointment', finds: ['calendar__delete_event'] },
    ],
    *direct() {
      const [{ events }] = yield [['calendar__list_events', MARCH]];
      const found = events.filter(budget);
      yield found.map(({ id }) => ['calendar__delete_event', { id }]);
      return found.length;
    },
    *programs() {
      return yield `const { events } = await servers.calendar.list_events({from: "2026-03-01", to: "2026-03-31"});
const found = events.filter((e) => e.title === "Budget");
await Promise.all(found.map(({ id }) => servers.calendar.delete_event({id})));
return found.length;`;
    },
    mistake: { right: '{id})', wrong: '{eventId: id})' },
    formatAnswer: (count) => `${count} meetings were cancelled.`,
    expected: ({ calendar }) => calendar.filter(budget).length,
    after(seed) {
      seed.calendar = seed.calendar.filter((event) => !budget(event));
    },
  },
  {
    id: 'retired-laptops',
    prompt: 'Delete the laptops whose warranty ended before 2026 from the knowledge graph. How many are that?',
    search: [
      { query: 'search the knowledge graph', finds: ['memory__search_nodes', 'memory__read_graph'] },
      { query: 'delete entities of the knowledge graph', finds: ['memory__delete_entities'] },
    ],
    *direct() {
      const [{ entities }] = yield [['memory__search_nodes', { query: 'laptop' }]];
      const entityNames = entities.filter(outOfWarranty).map(({ name }) => name);
      yield [['memory__delete_entities', { entityNames }]];
      return entityNames.length;
    },
    *programs() {
      yield `const { entities } = await servers.memory.search_nodes({query: "laptop"});
return { count: entities.length, some: entities.slice(0, 2) };`;
      return yield `const { entities } = await servers.memory.search_nodes({query: "laptop"});
const ended = (text) => text.startsWith("warranty: ") && text.slice(10) < "2026";
const entityNames = entities.filter((e) => e.observations.some(ended)).map((e) => e.name);
await servers.memory.delete_entities({entityNames});
return entityNames.length;`;
    },
    mistake: { right: 'entities.length', wrong: 'nodes.length' },
    formatAnswer: (count) => `${count} laptops were deleted.`,
    expected: ({ graph }) => graph.filter(outOfWarranty).length,
    after(seed) {
      const gone = new Set(seed.graph.filter(outOfWarranty).map(({ name }) => name));
      seed.graph = seed.graph.filter(({ type, name, from, to }) =>
        type === 'entity' ? !gone.has(name) : !gone.has(from) && !gone.has(to),
      );
    },
  },
];
