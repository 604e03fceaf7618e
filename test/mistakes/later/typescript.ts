import { type Row, row } from '../unseen/row.ts';

const FOUND = {
  issues: [
    { key: 'WEB-1', summary: 'Crash', status: 'Open' },
    { key: 'WEB-2', summary: 'Slow', status: 'Open' },
  ],
  total: 2,
};
const SEARCH = `return await servers.jira.search_issues({ jql: 'project = WEB' });`;
const LIGHT = `return await callMCPTool("home-assistant__set_light", { entity_id: 'light.desk', on: true });`;
const SUMMARIES = `const { issues } = await servers.jira.search_issues({ jql: 'project = WEB' });\nreturn issues.map((issue) => issue.summary);`;
const CREATE = `return (await servers.jira.create_issue({ project_key: 'WEB', summary: 'Crash', issue_type: 'Bug' })).key;`;
const DONE = `return await servers.jira.transition_issue({ issue_key: 'WEB-1', transition: 'done' });`;
const REFUND = `return await servers.payments.create_refund({ payment_id: 'p1', amount: 1250 });`;
const SHARE = `return await servers.drive.share_file({ file_id: 'f1', email: 'ada@example.com', role: 'writer' });`;
const ALL_FILES = `const first = await servers.drive.list_files({});
const second = await servers.drive.list_files({ page_token: first.next_page_token });
return first.files.length + second.files.length;`;

const searches = (sources: readonly string[]) =>
  sources.map((source) => row(source, ['search_issues({jql: string'], SEARCH, FOUND));
const imports = (sources: readonly string[]) =>
  sources.map((source) => row(source, ["Import from './servers/jira/index.js'"], SEARCH, FOUND));
const listed = (sources: readonly string[]) =>
  sources.map((source) => row(source, ['It exports: ', ' search_issues,'], SEARCH, FOUND));
const lights = (sources: readonly string[]) =>
  sources.map((source) => row(source, ['home-assistant'], LIGHT, { on: true }));

/** Programs in TypeScript. */
export const TYPESCRIPT_LATER: readonly Row[] = [
  ...searches([
    `return await jira.search_issues('project = WEB');`,
    `return await mcp__jira__search_issues({ jql: 'project = WEB' });`,
    `const result = await this.mcp.callTool('jira', 'search_issues', { jql: 'project = WEB' });\nreturn result;`,
    `return await agent.tools.run('jira.search_issues', { jql: 'project = WEB' });`,
    `return await callMCPTool('jira_search_issues', { jql: 'project = WEB' });`,
    `return await callMCPTool('jira__find_issues', { jql: 'project = WEB' });`,
    `return await callMCPTool('jira:search_issues', { jql: 'project = WEB' });`,
    `const client = new MCPClient('jira');\nawait client.connect();\nreturn await client.callTool('search_issues', { jql: 'project = WEB' });`,
    `return await tool('jira__search_issues', { jql: 'project = WEB' });`,
    `return await invoke({ server: 'jira', tool: 'search_issues', arguments: { jql: 'project = WEB' } });`,
    `return await servers.jira.search_issues({ query: 'project = WEB' });`,
    `return await servers.jira.search_issues({ args: { jql: 'project = WEB' } });`,
    `return await servers.jira.search_issues({});`,
    `return await servers.call('jira', 'search_issues', { jql: 'project = WEB' });`,
    `return await servers['jira__search_issues']({ jql: 'project = WEB' });`,
    `return await servers.jira__search_issues({ jql: 'project = WEB' });`,
  ]),
  row(
    `const jira = await connect('jira');\nreturn await jira.search_issues({ jql: 'project = WEB' });`,
    ['servers.jira.<tool>', 'search_issues'],
    SEARCH,
    FOUND,
  ),
  row(
    `return await jira.searchIssues({ jql: 'project = WEB' });`,
    ['servers.jira.searchIssues({jql: string'],
    SEARCH,
    FOUND,
  ),
  ...imports([
    `import { search_issues } from 'jira';\nreturn await search_issues({ jql: 'project = WEB' });`,
    `import { jira } from '@tools/jira';\nreturn await jira.search_issues({ jql: 'project = WEB' });`,
  ]),
  ...listed([
    `return await servers.jira.tools.search_issues({ jql: 'project = WEB' });`,
    `return await servers.jira.call('search_issues', { jql: 'project = WEB' });`,
  ]),
  row(`return await servers.jira.search({ jql: 'project = WEB' });`, ['search_issues'], SEARCH, FOUND),
  row(`return await servers['jira']['search_issue']({ jql: 'project = WEB' });`, ['search_issues'], SEARCH, FOUND),
  ...lights([
    `return await servers.home-assistant.set_light({ entity_id: 'light.desk', on: true });`,
    `return await servers.homeAssistant.set_light({ entity_id: 'light.desk', on: true });`,
    `return await servers.home_assistant.set_light({ entity_id: 'light.desk', on: true });`,
    `return await homeassistant.set_light({ entity_id: 'light.desk', on: true });`,
    `return await callMCPTool('home_assistant__set_light', { entity_id: 'light.desk', on: true });`,
    `return await callMCPTool('home-assistant__set_light', { entity_id: 'light.desk', on: 'on' });`,
  ]),
  row(
    `return await callMCPTool('home-assistant__set_light', { entity_id: 'light.desk', on: true, brightness: '80%', rgb: '#ff0000' });`,
    ['brightness', 'rgb', 'number'],
    LIGHT,
    { on: true },
  ),
  row(
    `return await servers.jira.search_issues({ jql: 'project = WEB', maxResults: '50', fields: ['summary'] });`,
    ['max_results?: number'],
    SEARCH,
    FOUND,
  ),
  row(`return await servers.jira.search_issues({ jql: 'project = WEB', max_results: 500 });`, ['100'], SEARCH, FOUND),
  row(
    `return (await servers.jira.create_issue({ project: 'WEB', title: 'Crash', type: 'bug', priority: 'P1' })).key;`,
    ['project_key', 'summary', 'issue_type', '"Bug"'],
    CREATE,
    'WEB-3',
  ),
  row(
    `return (await servers.jira.create_issue({ project_key: 'WEB', summary: 'Crash', issue_type: 'Bug', labels: 'ui,crash' })).key;`,
    ['labels', 'string[]'],
    CREATE,
    'WEB-3',
  ),
  row(
    `return (await servers.jira.create_issue({ project_key: 'WEB', summary: 'Crash', issue_type: 'Bug' })).issue.key;`,
    ['key'],
    CREATE,
    'WEB-3',
  ),
  row(`return await servers.jira.transition_issue({ issue_key: 'WEB-1', transition: 'Done' });`, ['"done"'], DONE, {
    state: 'done',
  }),
  row(
    `return await servers.jira.transition_issue({ issue_key: 1, transition: 'done' });`,
    ['issue_key', '^[A-Z]+-[0-9]+$'],
    DONE,
    { state: 'done' },
  ),
  row(
    `return await servers.jira.transition_issue({ issueKey: 'WEB-1', status: 'Closed' });`,
    ['issue_key', 'transition', '"done"'],
    DONE,
    { state: 'done' },
  ),
  row(
    `return await servers.jira.add_comment({ issue_key: 'WEB-1', body: { type: 'doc', content: [] } });`,
    ['body', 'string'],
    `return await servers.jira.add_comment({ issue_key: 'WEB-1', body: 'Fixed' });`,
    { comment: 'Fixed' },
  ),
  row(
    `const issues = await servers.jira.search_issues({ jql: 'project = WEB' });\nreturn issues.map((issue) => issue.summary);`,
    ['issues: '],
    SUMMARIES,
    ['Crash', 'Slow'],
  ),
  row(
    `const { issues } = await servers.jira.search_issues({ jql: 'project = WEB' });\nreturn issues.map((issue) => issue.fields.summary);`,
    ['fields', 'summary'],
    SUMMARIES,
    ['Crash', 'Slow'],
  ),
  row(
    `const { issues } = await servers.jira.search_issues({ jql: 'project = WEB' });\nreturn issues.filter((issue) => issue.status.name === 'Open').length;`,
    ["'name' does not exist on string"],
    `const { issues } = await servers.jira.search_issues({ jql: 'project = WEB' });\nreturn issues.filter((issue) => issue.status === 'Open').length;`,
    2,
  ),
  row(
    `const { issues } = await servers.jira.search_issues({ jql: 'project = WEB' });\nreturn issues[0].id;`,
    ['key'],
    `const { issues } = await servers.jira.search_issues({ jql: 'project = WEB' });\nreturn issues[0].key;`,
    'WEB-1',
  ),
  row(`const { files } = await servers.drive.list_files({});\nreturn files.length;`, ['next_page_token'], ALL_FILES, 3),
  row(
    `const files = [];\nfor (const file of await servers.drive.list_files({})) files.push(file.name);\nreturn files;`,
    ['files'],
    ALL_FILES,
    3,
  ),
  row(`const page = servers.drive.list_files({});\nreturn page.files.length;`, ['await'], ALL_FILES, 3),
  row(
    `const { data } = await servers.payments.list_invoices({ customer: 'c1' });\nreturn data.reduce((sum, invoice) => sum + invoice.amount_due, 0);`,
    ['has_more'],
    `const first = await servers.payments.list_invoices({ customer: 'c1' });\nconst second = await servers.payments.list_invoices({ customer: 'c1', starting_after: first.data.at(-1).id });\nreturn [...first.data, ...second.data].reduce((sum, invoice) => sum + invoice.amount_due, 0);`,
    60,
  ),
  row(
    `const file = await servers.drive.read_file({ file_id: 'f1' });\nreturn file.content.length;`,
    ['string'],
    `const file = await servers.drive.read_file({ file_id: 'f1' });\nreturn file.length;`,
    7,
  ),
  row(
    `const file = JSON.parse(await servers.drive.read_file({ file_id: 'f1' }));\nreturn file.text;`,
    ['string'],
    `return await servers.drive.read_file({ file_id: 'f1' });`,
    'one two',
  ),
  row(
    `return await servers.drive.share_file({ fileId: 'f1', emailAddress: 'ada@example.com', role: 'editor' });`,
    ['file_id', 'email', '"writer"'],
    SHARE,
    { role: 'writer' },
  ),
  row(`return await servers.drive.share_file({ file_id: 'f1', email: 'Ada', role: 'writer' });`, ['email'], SHARE, {
    role: 'writer',
  }),
  row(
    `return await servers.payments.create_refund({ payment_id: 'p1', amount: 12.5 });`,
    ['amount', 'integer'],
    REFUND,
    { refunded: 1250 },
  ),
  row(
    `return await servers.payments.create_refund({ charge: 'p1', amount: '1250', reason: 'customer request' });`,
    ['payment_id', 'amount', 'number', '"requested_by_customer"'],
    REFUND,
    { refunded: 1250 },
  ),
  row(
    `const { available } = await servers.payments.get_balance();\nreturn available.usd.toFixed(2);`,
    ['usd', 'eur'],
    `const { available } = await servers.payments.get_balance();\nreturn available.eur.toFixed(2);`,
    '500.00',
  ),
  row(
    `const rows = await servers.db.run_query({ sql: 'select name from users' });\nreturn rows[0].name;`,
    ['rows: '],
    `const { rows } = await servers.db.run_query({ sql: 'select name from users' });\nreturn rows[0].name;`,
    'Ada',
  ),
  row(
    `const { rows } = await servers.db.query({ sql: 'select name from users' });\nreturn rows[0].name;`,
    ['run_query'],
    `const { rows } = await servers.db.run_query({ sql: 'select name from users' });\nreturn rows[0].name;`,
    'Ada',
  ),
  row(
    `const { rows } = await servers.db.run_query({ sql: 'select name from users where id = ?', params: 7 });\nreturn rows[0].name;`,
    ['params', '[]'],
    `const { rows } = await servers.db.run_query({ sql: 'select name from users where id = ?', params: [7] });\nreturn rows[0].name;`,
    'Ada',
  ),
  row(
    `const found = (await servers.db.run_query({ sql: 'select name from users' })) as any;\nreturn found.split('\\n').length;`,
    ['found.split is not a function', 'rows: '],
    `const { rows } = await servers.db.run_query({ sql: 'select name from users' });\nreturn rows.length;`,
    1,
  ),
];
