// Three to six calls. Each needs the result of the call before.
import { ONE_CUSTOMER, ONE_TICKET, READ_FILE, read, textOf } from './task.mjs';

const TICKET = 'T-118';
const ROOT = 'config/main.json';
const SPRING = { from: '2026-03-02', to: '2026-03-31' };

export const chain = [
  {
    id: 'manager-meeting',
    prompt: `Who is the account manager of the customer that reported support ticket ${TICKET}, and what is that person's first meeting in the calendar from 2 to 31 March 2026?`,
    search: [ONE_TICKET, ONE_CUSTOMER, { query: 'calendar meetings of a person', finds: ['calendar__list_events'] }],
    *direct() {
      const [ticket] = yield [['tickets__get_ticket', { key: TICKET }]];
      const [{ accountManager }] = yield [['crm__get_customer', { id: ticket.reporter.customerId }]];
      const [{ events }] = yield [['calendar__list_events', { ...SPRING, attendee: accountManager }]];
      return { accountManager, meeting: { title: events[0].title, start: events[0].start } };
    },
    // The tool has no output schema for tickets, so the first program returns a sample.
    *programs() {
      const ticket = yield `servers.tickets.get_ticket({key: "${TICKET}"})`;
      return yield `const { accountManager } = await servers.crm.get_customer({id: "${ticket.reporter.customerId}"});
const { events } = await servers.calendar.list_events({from: "2026-03-02", to: "2026-03-31", attendee: accountManager});
return { accountManager, meeting: { title: events[0].title, start: events[0].start } };`;
    },
    mistake: { right: 'key:', wrong: 'id:' },
    formatAnswer: ({ accountManager, meeting }) =>
      `It is ${accountManager}, whose first meeting is "${meeting.title}" at ${meeting.start}.`,
    expected({ tickets, crm, calendar }) {
      const { reporter } = tickets.find(({ key }) => key === TICKET);
      const { accountManager } = crm.customers.find(({ id }) => id === reporter.customerId);
      const [first] = calendar
        .filter(
          ({ start, attendees }) => attendees.includes(accountManager) && start >= '2026-03-02' && start < '2026-04',
        )
        .sort((a, b) => (a.start + a.id < b.start + b.id ? -1 : 1));
      return { accountManager, meeting: { title: first.title, start: first.start } };
    },
  },
  {
    id: 'follow-config',
    prompt: `${ROOT} includes another file, that one names its logTarget, and the target names a log file. What does the last line of that log say?`,
    search: [READ_FILE],
    *direct() {
      const [main] = yield [read(ROOT)];
      const [region] = yield [read(JSON.parse(textOf(main)).include)];
      const [target] = yield [read(JSON.parse(textOf(region)).logTarget)];
      const [log] = yield [['filesystem__read_text_file', { path: JSON.parse(textOf(target)).file, tail: 1 }]];
      return textOf(log).trim();
    },
    *programs() {
      return yield `const read = async (path: string, options = {}) => (await servers.filesystem.read_text_file({path, ...options})).content;
const main = JSON.parse(await read("${ROOT}"));
const region = JSON.parse(await read(main.include));
const target = JSON.parse(await read(region.logTarget));
return (await read(target.file, {tail: 1})).trim();`;
    },
    mistake: { right: 'options})).content', wrong: 'options})).text' },
    formatAnswer: (line) => `The last line is: ${line}`,
    expected: ({ files }) => files['logs/app-07.log'].trim().split('\n').at(-1),
  },
  {
    id: 'graph-walk',
    prompt:
      'In the knowledge graph: who leads Project Atlas, whom does that person report to, and where does the latter live?',
    search: [{ query: 'open an entity of the knowledge graph with its relations', finds: ['memory__open_nodes'] }],
    *direct() {
      const related = ({ relations }, from, type) =>
        relations.find((one) => one.from === from && one.relationType === type).to;
      const [project] = yield [['memory__open_nodes', { names: ['Project Atlas'] }]];
      const lead = related(project, 'Project Atlas', 'is led by');
      const [person] = yield [['memory__open_nodes', { names: [lead] }]];
      const boss = related(person, lead, 'reports to');
      const [{ entities }] = yield [['memory__open_nodes', { names: [boss] }]];
      return { lead, boss, home: entities[0].observations[0] };
    },
    // The names of relations are unknown before the first program returns some.
    *programs() {
      const { relations } = yield 'servers.memory.open_nodes({names: ["Project Atlas"]})';
      const lead = relations[0].to;
      const next = yield `const lead = await servers.memory.open_nodes({names: ["${lead}"]});
const others = lead.relations.filter((r) => r.from === "${lead}").map((r) => r.to);
return { relations: lead.relations, others: (await servers.memory.open_nodes({names: others})).entities };`;
      const boss = next.relations.find(({ relationType }) => relationType === 'reports to').to;
      return { lead, boss, home: next.others.find(({ name }) => name === boss).observations[0] };
    },
    mistake: { right: 'names: ["Project Atlas"]', wrong: 'name: "Project Atlas"' },
    formatAnswer: ({ lead, boss, home }) => `${lead} leads it and reports to ${boss}, who ${home}.`,
    expected({ graph }) {
      const boss = graph.find(({ from, relationType }) => from === 'Employee 12' && relationType === 'reports to').to;
      return { lead: 'Employee 12', boss, home: graph.find(({ name }) => name === boss).observations[0] };
    },
  },
];
