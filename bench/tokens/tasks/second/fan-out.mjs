// 10 to 50 independent calls.
import { MANAGERS } from '../../records.mjs';
import { INSIDE, ONE_CUSTOMER, ONE_TICKET, READ_FILE, read, readAll, textOf } from '../task.mjs';

const NAMES = ['auth', 'billing', 'cart', 'catalog', 'checkout', 'email', 'images', 'orders', 'search', 'stock'];
const SERVICES = NAMES.map((name) => `services/${name}.json`);
const LOGS = Array.from({ length: 12 }, (_, index) => `logs/app-${String(index + 1).padStart(2, '0')}.log`);
const RELEASE = 'notes/release.md';
const MONTHS = [
  ['2026-02-01', '2026-02-28'],
  ['2026-03-01', '2026-03-31'],
];
const slowest = (text) => Math.max(...[...text.matchAll(/ ms=(\d+)/g)].map(([, ms]) => Number(ms)));
const countBy = (values) => {
  const counts = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};
const listed = (counts) =>
  Object.keys(counts)
    .sort()
    .map((name) => `${name}: ${counts[name]}`)
    .join(', ');

export const fanOut = [
  {
    id: 'service-owners',
    prompt: `How many of these services does each owner have? The files services/NAME.json name the owner: ${NAMES.join(', ')}.`,
    indirect: true,
    search: [INSIDE],
    *direct({ compound }) {
      return countBy((yield* readAll(SERVICES, compound)).map((text) => JSON.parse(text).owner));
    },
    *programs() {
      return yield `const names = ${JSON.stringify(NAMES)};
const counts: Record<string, number> = {};
await Promise.all(names.map(async (name) => {
  const { content } = await servers.filesystem.read_text_file({path: \`services/\${name}.json\`});
  const { owner } = JSON.parse(content);
  counts[owner] = (counts[owner] ?? 0) + 1;
}));
return counts;`;
    },
    mistake: { right: '{ content }', wrong: '{ text: content }' },
    formatAnswer: listed,
    expected: ({ files }) => countBy(SERVICES.map((path) => JSON.parse(files[path]).owner)),
  },
  {
    id: 'reporter-segments',
    prompt: `${RELEASE} lists support tickets. How many of them were reported by customers of each segment?`,
    search: [READ_FILE, ONE_TICKET, ONE_CUSTOMER],
    *direct() {
      const [file] = yield [read(RELEASE)];
      const tickets = yield textOf(file)
        .match(/T-\d+/g)
        .map((key) => ['tickets__get_ticket', { key }]);
      const customers = yield tickets.map(({ reporter }) => ['crm__get_customer', { id: reporter.customerId }]);
      return countBy(customers.map(({ segment }) => segment));
    },
    // The tool has no output schema for tickets, so the first program returns one unchanged.
    *programs() {
      yield `const { content } = await servers.filesystem.read_text_file({path: "${RELEASE}"});
return servers.tickets.get_ticket({key: content.match(/T-\\d+/)[0]});`;
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${RELEASE}"});
const counts: Record<string, number> = {};
await Promise.all(content.match(/T-\\d+/g).map(async (key) => {
  const { reporter } = await servers.tickets.get_ticket({key});
  const { segment } = await servers.crm.get_customer({id: reporter.customerId});
  counts[segment] = (counts[segment] ?? 0) + 1;
}));
return counts;`;
    },
    mistake: { right: '{key: content', wrong: '{id: content' },
    formatAnswer: listed,
    expected: ({ files, tickets, crm }) =>
      countBy(
        files[RELEASE]
          .match(/T-\d+/g)
          .map((wanted) => tickets.find(({ key }) => key === wanted).reporter.customerId)
          .map((wanted) => crm.customers.find(({ id }) => id === wanted).segment),
      ),
  },
  {
    id: 'manager-meetings',
    prompt: `How many meetings do ${MANAGERS.join(', ')} have in February and in March 2026, each? Keep the order.`,
    search: [{ query: 'calendar meetings of a person', finds: ['calendar__list_events'] }],
    *direct() {
      const found = yield MANAGERS.flatMap((attendee) =>
        MONTHS.map(([from, to]) => ['calendar__list_events', { from, to, attendee }]),
      );
      return found.map(({ events }) => events.length);
    },
    *programs() {
      return yield `const people = ${JSON.stringify(MANAGERS)};
const months = [["2026-02-01", "2026-02-28"], ["2026-03-01", "2026-03-31"]];
return Promise.all(people.flatMap((attendee) => months.map(async ([from, to]) =>
  (await servers.calendar.list_events({from, to, attendee})).events.length)));`;
    },
    mistake: { right: 'attendee})', wrong: 'person: attendee})' },
    formatAnswer: (counts) => counts.join(', '),
    expected: ({ calendar }) =>
      MANAGERS.flatMap((name) =>
        MONTHS.map(
          ([from, to]) =>
            calendar.filter(
              ({ start, attendees }) =>
                attendees.includes(name) && start.slice(0, 10) >= from && start.slice(0, 10) <= to,
            ).length,
        ),
      ),
  },
  {
    id: 'log-slowest',
    prompt:
      'What is the largest ms in each of logs/app-01.log to logs/app-12.log? Give the numbers in order; lines end with "ms=NUMBER".',
    search: [READ_FILE],
    *direct({ compound }) {
      return (yield* readAll(LOGS, compound)).map(slowest);
    },
    *programs() {
      return yield `const paths = Array.from({length: 12}, (_, i) => \`logs/app-\${String(i + 1).padStart(2, "0")}.log\`);
return Promise.all(paths.map(async (path) => {
  const { content } = await servers.filesystem.read_text_file({path});
  return Math.max(...content.split("\\n").map((line) => Number(/ms=(\\d+)/.exec(line)?.[1] ?? 0)));
}));`;
    },
    mistake: { right: 'content', wrong: 'text' },
    formatAnswer: (numbers) => numbers.join(', '),
    expected: ({ files }) => LOGS.map((path) => slowest(files[path])),
  },
];
