// One call.
import { INSIDE, read, textOf } from '../task.mjs';

const CART = 'services/cart.json';
const SLOTS = { from: '2026-03-10', to: '2026-03-11', attendees: ['mira.novak', 'luca.gallo'], minutes: 30 };
const NOTE = { customerId: 'C-1100', text: 'Prefers phone calls.' };
const PORT = /"port": (\d+)/;

export const tiny = [
  {
    id: 'ticket-state',
    prompt: 'In what state is support ticket T-150, and how severe is it?',
    indirect: true,
    search: [{ query: 'status of a complaint', finds: ['tickets__get_ticket'] }],
    *direct() {
      const [ticket] = yield [['tickets__get_ticket', { key: 'T-150' }]];
      return ticket;
    },
    attempt: `const [t] = await search_tools('status of a complaint'); return await callMCPTool(t.name, {id: 'T-150'});`,
    *programs() {
      return yield 'servers.tickets.get_ticket({key: "T-150"})';
    },
    mistake: { right: 'key:', wrong: 'id:' },
    formatAnswer: ({ state, sev }) => `T-150 is ${state}, with severity ${sev}.`,
    expected: ({ tickets }) => tickets.find(({ key }) => key === 'T-150'),
  },
  {
    id: 'cart-port',
    prompt: `Which port is configured in ${CART}?`,
    indirect: true,
    search: [INSIDE],
    *direct() {
      const [file] = yield [read(CART)];
      return PORT.exec(textOf(file))[1];
    },
    attempt: `const [t] = await search_tools('${INSIDE.query}'); return await callMCPTool(t.name, {path: '${CART}'});`,
    *programs() {
      const { content } = yield `servers.filesystem.read_text_file({path: "${CART}"})`;
      return PORT.exec(content)[1];
    },
    mistake: { right: 'path:', wrong: 'file:' },
    formatAnswer: (port) => `It is port ${port}.`,
    expected: ({ files }) => PORT.exec(files[CART])[1],
  },
  {
    id: 'free-slot',
    prompt:
      'When on 10 or 11 March 2026 do mira.novak and luca.gallo both have 30 minutes free? The first time is enough.',
    search: [{ query: 'find free time of several people', finds: ['calendar__find_free_time'] }],
    *direct() {
      const [{ slots }] = yield [['calendar__find_free_time', SLOTS]];
      return slots[0];
    },
    attempt: `const [t] = await search_tools('find free time of several people'); return await callMCPTool(t.name, {from: '2026-03-10', to: '2026-03-11', people: ['mira.novak', 'luca.gallo'], minutes: 30});`,
    *programs() {
      const { slots } =
        yield `servers.calendar.find_free_time({from: "2026-03-10", to: "2026-03-11", attendees: ["mira.novak", "luca.gallo"], minutes: 30})`;
      return slots[0];
    },
    mistake: { right: 'attendees:', wrong: 'people:' },
    formatAnswer: (slot) => `The first free time is ${slot}.`,
    expected({ calendar }) {
      const taken = calendar
        .filter(({ attendees }) => attendees.some((name) => SLOTS.attendees.includes(name)))
        .map(({ start }) => start);
      const slots = [SLOTS.from, SLOTS.to].flatMap((date) =>
        ['09:00', '13:00', '15:00'].map((hour) => `${date}T${hour}`),
      );
      return slots.find((slot) => !taken.includes(slot));
    },
  },
  {
    id: 'phone-note',
    prompt: `Add the note "${NOTE.text}" to the record of customer ${NOTE.customerId}.`,
    search: [{ query: 'add a note to a customer', finds: ['crm__add_note'] }],
    *direct() {
      yield [['crm__add_note', NOTE]];
    },
    *programs() {
      yield `await servers.crm.add_note({customerId: "${NOTE.customerId}", text: "${NOTE.text}"});`;
    },
    mistake: { right: 'text:', wrong: 'note:' },
    formatAnswer: () => 'The note is added.',
    expected: () => undefined,
    after: ({ crm }) => crm.notes.push(NOTE),
  },
];
