// Transfers of data from one server to another.
import { READ_FILE, read, textOf } from './task.mjs';

const TEAM = 'data/team.csv';

function team(text) {
  const rows = text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  return {
    entities: rows.map(([name, role, , city]) => ({
      name,
      entityType: 'person',
      observations: [`role: ${role}`, `city: ${city}`],
    })),
    relations: rows.filter(([, , boss]) => boss).map(([from, , to]) => ({ from, to, relationType: 'reports_to' })),
  };
}

const leads = (customers) =>
  `# Enterprise customers in Lyon\n\n${customers.map(({ name, contact, email }) => `- ${name}: ${contact} <${email}>\n`).join('')}`;
const LEADS = 'leads/lyon.md';
const noteOf = ({ key, subject, body }) => `${key} ${subject}: ${body}`;

export const transfer = [
  {
    id: 'team-graph',
    prompt: `Put the people of ${TEAM} (columns name, role, reports_to, city) into the knowledge graph: entities of type person with the observations "role: …" and "city: …", and a relation reports_to where there is one. How many of each are new?`,
    search: [
      READ_FILE,
      { query: 'add entities to the knowledge graph', finds: ['memory__create_entities'] },
      { query: 'add relations to the knowledge graph', finds: ['memory__create_relations'] },
    ],
    *direct() {
      const [file] = yield [read(TEAM)];
      const { entities, relations } = team(textOf(file));
      yield [['memory__create_entities', { entities }]];
      yield [['memory__create_relations', { relations }]];
      return { entities: entities.length, relations: relations.length };
    },
    *programs() {
      return yield `const { content } = await servers.filesystem.read_text_file({path: "${TEAM}"});
const rows = content.trim().split("\\n").slice(1).map((line) => line.split(","));
const made = await servers.memory.create_entities({entities: rows.map(([name, role, , city]) => ({
  name, entityType: "person", observations: [\`role: \${role}\`, \`city: \${city}\`],
}))});
const linked = await servers.memory.create_relations({relations: rows.filter((row) => row[2]).map(([from, , to]) => ({from, to, relationType: "reports_to"}))});
return { entities: made.entities.length, relations: linked.relations.length };`;
    },
    mistake: { right: 'entityType:', wrong: 'type:' },
    formatAnswer: ({ entities, relations }) => `${entities} entities and ${relations} relations are new.`,
    expected({ files }) {
      const { entities, relations } = team(files[TEAM]);
      return { entities: entities.length, relations: relations.length };
    },
    after({ files, graph }) {
      const { entities, relations } = team(files[TEAM]);
      graph.push(
        ...entities.map((entity) => ({ type: 'entity', ...entity })),
        ...relations.map((relation) => ({ type: 'relation', ...relation })),
      );
    },
  },
  {
    id: 'leads-file',
    prompt: `Write our enterprise customers in Lyon to ${LEADS} (the folder does not exist yet): a heading "# Enterprise customers in Lyon", an empty line, then "- NAME: CONTACT <EMAIL>" for each, as the CRM orders them. How many are there?`,
    search: [
      { query: 'list customers of a city', finds: ['crm__list_customers'] },
      { query: 'create a folder', finds: ['filesystem__create_directory'] },
      { query: 'write a text file', finds: ['filesystem__write_file'] },
    ],
    *direct() {
      const [{ customers }] = yield [
        ['crm__list_customers', { city: 'Lyon', segment: 'enterprise', limit: 100 }],
        ['filesystem__create_directory', { path: 'leads' }],
      ];
      yield [['filesystem__write_file', { path: LEADS, content: leads(customers) }]];
      return customers.length;
    },
    *programs() {
      return yield `const { customers } = await servers.crm.list_customers({city: "Lyon", segment: "enterprise", limit: 100});
await servers.filesystem.create_directory({path: "leads"});
const lines = customers.map((c) => \`- \${c.name}: \${c.contact} <\${c.email}>\\n\`);
await servers.filesystem.write_file({path: "${LEADS}", content: "# Enterprise customers in Lyon\\n\\n" + lines.join("")});
return customers.length;`;
    },
    mistake: { right: 'const { customers } =', wrong: 'const customers =' },
    formatAnswer: (count) => `${LEADS} lists ${count} customers.`,
    expected: ({ crm }) =>
      crm.customers.filter(({ city, segment }) => city === 'Lyon' && segment === 'enterprise').length,
    after({ crm, files }) {
      files[LEADS] = leads(crm.customers.filter(({ city, segment }) => city === 'Lyon' && segment === 'enterprise'));
    },
  },
  {
    id: 'outage-notes',
    prompt:
      'For each open support ticket tagged outage, add a note to the CRM record of the customer who reported it: "KEY SUBJECT: BODY". How many notes are that?',
    search: [
      { query: 'find open support tickets with a tag', finds: ['tickets__search_tickets'] },
      { query: 'add a note to a customer', finds: ['crm__add_note'] },
    ],
    *direct() {
      const [{ items }] = yield [['tickets__search_tickets', { state: 'open', tag: 'outage' }]];
      yield items.map((ticket) => ['crm__add_note', { customerId: ticket.reporter.customerId, text: noteOf(ticket) }]);
      return items.length;
    },
    // The search tool has no output schema, so the first program returns the start of its result.
    *programs() {
      yield `const found = await servers.tickets.search_tickets({state: "open", tag: "outage"});
return JSON.stringify(found).slice(0, 700) + JSON.stringify(found).slice(-60);`;
      return yield `const { items } = await servers.tickets.search_tickets({state: "open", tag: "outage"});
await Promise.all(items.map((t) => servers.crm.add_note({customerId: t.reporter.customerId, text: \`\${t.key} \${t.subject}: \${t.body}\`})));
return items.length;`;
    },
    mistake: { right: 'search_tickets', wrong: 'list_tickets' },
    formatAnswer: (count) => `${count} notes were added.`,
    expected: ({ tickets }) => tickets.filter(({ state, tags }) => state === 'open' && tags.includes('outage')).length,
    after({ tickets, crm }) {
      const found = tickets.filter(({ state, tags }) => state === 'open' && tags.includes('outage'));
      crm.notes.push(...found.map((ticket) => ({ customerId: ticket.reporter.customerId, text: noteOf(ticket) })));
    },
  },
];
