// One or two calls. A program saves only definitions here.
import { ONE_CUSTOMER, program, READ_FILE, read, textOf } from './task.mjs';

const OFFICE = 'notes/office.txt';
const DOOR = /Door code: (\S+)/;

export const tiny = [
  {
    id: 'door-code',
    prompt: `What is the door code in the file ${OFFICE}?`,
    search: [READ_FILE],
    *direct() {
      const [file] = yield [read(OFFICE)];
      return DOOR.exec(textOf(file))[1];
    },
    attempt: `const [t] = await search_tools('${READ_FILE.query}'); return await callMCPTool(t.name, {path: '${OFFICE}'});`,
    *programs() {
      const { content } = yield `servers.filesystem.read_text_file({path: "${OFFICE}"})`;
      return DOOR.exec(content)[1];
    },
    mistake: { right: 'path:', wrong: 'file:' },
    formatAnswer: (code) => `The door code is ${code}.`,
    expected: ({ files }) => DOOR.exec(files[OFFICE])[1],
  },
  {
    id: 'customer-mail',
    prompt: 'What is the mail address of our contact at customer C-1042?',
    search: [ONE_CUSTOMER],
    *direct() {
      const [{ contact, email }] = yield [['crm__get_customer', { id: 'C-1042' }]];
      return { contact, email };
    },
    attempt: `const [t] = await search_tools('${ONE_CUSTOMER.query}'); return await callMCPTool(t.name, {id: 'C-1042'});`,
    *programs() {
      const { contact, email } = yield 'servers.crm.get_customer({id: "C-1042"})';
      return { contact, email };
    },
    mistake: { right: 'id:', wrong: 'customerId:' },
    formatAnswer: ({ contact, email }) => `${contact} can be reached at ${email}.`,
    expected: ({ crm }) => {
      const { contact, email } = crm.customers.find(({ id }) => id === 'C-1042');
      return { contact, email };
    },
  },
  {
    id: 'close-ticket',
    prompt: 'Close support ticket T-207 with the comment "Fixed in 4.2."',
    search: [{ query: 'close a support ticket with a comment', finds: ['tickets__update_ticket'] }],
    *direct() {
      yield [['tickets__update_ticket', { key: 'T-207', state: 'closed', comment: 'Fixed in 4.2.' }]];
    },
    programs: program(
      `await servers.tickets.update_ticket({key: "T-207", state: "closed", comment: "Fixed in 4.2."});`,
    ),
    mistake: { right: 'key:', wrong: 'id:' },
    formatAnswer: () => 'Ticket T-207 is closed.',
    expected: () => undefined,
    after({ tickets }) {
      Object.assign(
        tickets.find(({ key }) => key === 'T-207'),
        { state: 'closed', comments: ['Fixed in 4.2.'] },
      );
    },
  },
];
