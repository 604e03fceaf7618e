// Two to four calls. Each needs the result of the call before.
import { makeRecords } from '../../records.mjs';
import { ONE_CUSTOMER, ONE_TICKET } from '../task.mjs';

const { tickets, crm } = makeRecords();
const ASSIGNED = tickets.findLast(({ assignee }) => assignee !== null).key;
const ordersOf = (ticket, orders) => orders.filter(({ customerId }) => customerId === ticket.reporter.customerId);
const BUYER = tickets.find((ticket) => ordersOf(ticket, crm.orders).length > 1).key;
const LAST = (a, b) => a.date.localeCompare(b.date) || a.id.localeCompare(b.id);
const inMarch = ({ start }) => start >= '2026-03-01' && start < '2026-04';
const OPEN_NODES = { query: 'open nodes of the knowledge graph by name', finds: ['memory__open_nodes'] };
const LIST_ORDERS = { query: 'list orders by status', finds: ['crm__list_orders'] };

export const chain = [
  {
    id: 'assignee-agenda',
    prompt: `How many meetings does the person that support ticket ${ASSIGNED} is assigned to have in March 2026?`,
    indirect: true,
    search: [
      { query: 'who deals with a complaint', finds: ['tickets__get_ticket'] },
      { query: "appointments on somebody's agenda", finds: ['calendar__list_events'] },
    ],
    *direct() {
      const [{ assignee }] = yield [['tickets__get_ticket', { key: ASSIGNED }]];
      const [{ events }] = yield [
        ['calendar__list_events', { from: '2026-03-01', to: '2026-03-31', attendee: assignee }],
      ];
      return { assignee, count: events.length };
    },
    // The tool has no output schema for tickets, so the first program returns one.
    *programs() {
      const { assignee } = yield `servers.tickets.get_ticket({key: "${ASSIGNED}"})`;
      const count =
        yield `const { events } = await servers.calendar.list_events({from: "2026-03-01", to: "2026-03-31", attendee: "${assignee}"});
return events.length;`;
      return { assignee, count };
    },
    mistake: { right: 'key:', wrong: 'id:' },
    formatAnswer: ({ assignee, count }) => `${assignee} has ${count} meetings.`,
    expected({ tickets: all, calendar }) {
      const { assignee } = all.find(({ key }) => key === ASSIGNED);
      return { assignee, count: calendar.filter((one) => one.attendees.includes(assignee) && inMarch(one)).length };
    },
  },
  {
    id: 'last-cancelled',
    prompt: 'Which customer placed the latest cancelled order, and in which city is that customer?',
    search: [LIST_ORDERS, ONE_CUSTOMER],
    *direct() {
      const [{ orders }] = yield [['crm__list_orders', { status: 'cancelled', limit: 100 }]];
      const [{ name, city }] = yield [['crm__get_customer', { id: orders.at(-1).customerId }]];
      return { name, city };
    },
    *programs() {
      return yield `const { orders } = await servers.crm.list_orders({status: "cancelled", limit: 100});
const { name, city } = await servers.crm.get_customer({id: orders.at(-1).customerId});
return { name, city };`;
    },
    mistake: { right: '{id: orders', wrong: '{customerId: orders' },
    formatAnswer: ({ name, city }) => `${name} in ${city}.`,
    expected({ crm: { orders, customers } }) {
      const last = orders
        .filter(({ status }) => status === 'cancelled')
        .sort(LAST)
        .at(-1);
      return customers.find(({ id }) => id === last.customerId);
    },
  },
  {
    id: 'lead-laptop',
    prompt: 'In the knowledge graph: which laptop does the person who leads Project Atlas use, and what is its serial?',
    search: [OPEN_NODES],
    *direct() {
      const [{ relations }] = yield [['memory__open_nodes', { names: ['Project Atlas'] }]];
      const lead = relations.find(({ relationType }) => relationType === 'is led by').to;
      const [person] = yield [['memory__open_nodes', { names: [lead] }]];
      const laptop = person.relations.find(({ from, relationType }) => from === lead && relationType === 'uses').to;
      const [{ entities }] = yield [['memory__open_nodes', { names: [laptop] }]];
      return { laptop, serial: entities[0].observations[0] };
    },
    // The names of relations are unknown before the first program returns some.
    *programs() {
      const { relations } = yield 'servers.memory.open_nodes({names: ["Project Atlas"]})';
      const lead = relations[0].to;
      return yield `const { relations } = await servers.memory.open_nodes({names: ["${lead}"]});
const laptop = relations.find((r) => r.from === "${lead}" && r.to.startsWith("Laptop")).to;
const { entities } = await servers.memory.open_nodes({names: [laptop]});
return { laptop, serial: entities[0].observations.find((o) => o.startsWith("serial")) };`;
    },
    mistake: { right: 'names: ["Project Atlas"]', wrong: 'name: "Project Atlas"' },
    formatAnswer: ({ laptop, serial }) => `${laptop}, ${serial}.`,
    expected({ graph }) {
      const laptop = graph.find(({ from, relationType }) => from === 'Employee 12' && relationType === 'uses').to;
      return { laptop, serial: graph.find(({ name }) => name === laptop).observations[0] };
    },
  },
  {
    id: 'last-order-total',
    prompt: `What is the total of the latest order of the customer that reported support ticket ${BUYER}?`,
    search: [ONE_TICKET, { query: 'list orders of a customer', finds: ['crm__list_orders'] }],
    *direct() {
      const [{ reporter }] = yield [['tickets__get_ticket', { key: BUYER }]];
      const [{ orders }] = yield [['crm__list_orders', { customerId: reporter.customerId }]];
      return orders.at(-1).total;
    },
    *programs() {
      const { reporter } = yield `servers.tickets.get_ticket({key: "${BUYER}"})`;
      return yield `const { orders } = await servers.crm.list_orders({customerId: "${reporter.customerId}"});
return orders.at(-1).total;`;
    },
    mistake: { right: 'key:', wrong: 'number:' },
    formatAnswer: (total) => `EUR ${total}.`,
    expected: ({ tickets: all, crm: { orders } }) =>
      ordersOf(
        all.find(({ key }) => key === BUYER),
        orders,
      )
        .sort(LAST)
        .at(-1).total,
  },
];
