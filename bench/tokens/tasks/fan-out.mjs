// 10 to 100 independent calls.
import { ONE_CUSTOMER, ONE_TICKET, READ_FILE, read, readAll, textOf } from './task.mjs';

const LOGS = Array.from({ length: 12 }, (_, index) => `logs/app-${String(index + 1).padStart(2, '0')}.log`);
const errors = (text) => text.split('\n').filter((line) => line.split(' ')[1] === 'ERROR').length;
const RENEWALS = 'data/renewals.txt';
const RELEASE = 'notes/release.md';
const keysOf = (text) => text.match(/T-\d+/g);

export const fanOut = [
  {
    id: 'log-errors',
    prompt:
      'How many ERROR lines does each of logs/app-01.log to logs/app-12.log have? List the counts in order, lines look like "TIME LEVEL …".',
    search: [READ_FILE],
    *direct({ compound }) {
      return (yield* readAll(LOGS, compound)).map(errors);
    },
    *programs() {
      return yield `const paths = Array.from({length: 12}, (_, i) => \`logs/app-\${String(i + 1).padStart(2, "0")}.log\`);
return Promise.all(paths.map(async (path) => {
  const { content } = await servers.filesystem.read_text_file({path});
  return content.split("\\n").filter((line) => line.split(" ")[1] === "ERROR").length;
}));`;
    },
    mistake: { right: 'content', wrong: 'text' },
    formatAnswer: (counts) => `Errors by log: ${counts.join(', ')}.`,
    expected: ({ files }) => LOGS.map((path) => errors(files[path])),
  },
  {
    id: 'renewals',
    prompt: `${RENEWALS} holds 40 customer ids, one on each line. Which of these customers have no account manager? Give their ids in the order of the file.`,
    search: [READ_FILE, ONE_CUSTOMER],
    *direct() {
      const [file] = yield [read(RENEWALS)];
      const customers = yield textOf(file)
        .trim()
        .split('\n')
        .map((id) => ['crm__get_customer', { id }]);
      return customers.filter(({ accountManager }) => accountManager === null).map(({ id }) => id);
    },
    *programs() {
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${RENEWALS}"});
const customers = await Promise.all(content.trim().split("\\n").map((id) => servers.crm.get_customer({id})));
return customers.filter((c) => !c.accountManager).map((c) => c.id);`;
    },
    mistake: { right: '{id}', wrong: '{customerId: id}' },
    formatAnswer: (ids) => `Without an account manager: ${ids.join(', ')}.`,
    expected: ({ files, crm }) =>
      files[RENEWALS]
        .trim()
        .split('\n')
        .filter((id) => crm.customers.find((one) => one.id === id).accountManager === null),
  },
  {
    id: 'release-tickets',
    prompt: `${RELEASE} lists support tickets. Which of them are not closed yet, and in what state are they? Keep the order of the file.`,
    search: [READ_FILE, ONE_TICKET],
    *direct() {
      const [file] = yield [read(RELEASE)];
      const tickets = yield keysOf(textOf(file)).map((key) => ['tickets__get_ticket', { key }]);
      return tickets.filter(({ state }) => state !== 'closed').map(({ key, state }) => [key, state]);
    },
    // The tool has no output schema for tickets, so the first program returns one unchanged.
    *programs() {
      yield `const { content } = await servers.filesystem.read_text_file({path: "${RELEASE}"});
const keys = content.match(/T-\\d+/g);
return servers.tickets.get_ticket({key: keys[0]});`;
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${RELEASE}"});
const tickets = await Promise.all(content.match(/T-\\d+/g).map((key) => servers.tickets.get_ticket({key})));
return tickets.filter((t) => t.state !== "closed").map((t) => [t.key, t.state]);`;
    },
    mistake: { right: 'key: keys[0]', wrong: 'id: keys[0]' },
    formatAnswer: (open) => `Not closed: ${open.map(([key, state]) => `${key} (${state})`).join(', ')}.`,
    expected: ({ files, tickets }) =>
      keysOf(files[RELEASE])
        .map((wanted) => tickets.find(({ key }) => key === wanted))
        .filter(({ state }) => state !== 'closed')
        .map(({ key, state }) => [key, state]),
  },
];
