import { FOUND, ISSUES, NAMES, type Row, row } from './row.ts';

const SEARCH = `return await callMCPTool("crm__search_contacts", { query: 'Ada' })`;
const SEARCHED = ['servers.crm.search_contacts({query: string'];
const ALL = `const names = [];
let cursor;
do {
  const page = await callMCPTool('crm__search_contacts', { query: 'a', cursor });
  names.push(...page.contacts.map((c) => c.name));
  cursor = page.next_cursor ?? undefined;
} while (cursor);
return names;`;
const BOOKED = { title: 'Review', start: '2026-03-10T09:00:00Z', attendees: [] };

const forms = (sources: readonly string[]) => sources.map((source) => row(source, SEARCHED, SEARCH, FOUND));

/** Programs in TypeScript. */
export const TYPESCRIPT: readonly Row[] = [
  ...forms([
    `import { crm } from '@/mcp';\nreturn await crm.search_contacts({ query: 'Ada' });`,
    `import { Client } from '@modelcontextprotocol/sdk/client/index.js';\nconst client = new Client({ name: 'agent', version: '1.0.0' });\nreturn await client.callTool({ name: 'search_contacts', arguments: { query: 'Ada' } });`,
    `const result = await mcp.tools.call('crm.search_contacts', { query: 'Ada' });\nreturn result;`,
    `return await callMCPTool({ server: 'crm', tool: 'search_contacts', args: { query: 'Ada' } });`,
    `return await callMCPTool('crm', { tool: 'search_contacts', arguments: { query: 'Ada' } });`,
    `return await Tools.crm.searchContacts({ query: 'Ada' });`,
    `return await servers.crm.search_contact({ query: 'Ada' });`,
    `return await callMCPTool('crm__search_people', { query: 'Ada' });`,
    `return await callMCPTool('contacts__search', { query: 'Ada' });`,
    `const { callTool } = require('mcp-client');\nreturn await callTool('crm__search_contacts', { query: 'Ada' });`,
    `return await invokeTool('crm:search_contacts', { query: 'Ada' });`,
    `return await this.tools.crm__search_contacts({ query: 'Ada' });`,
    `return await callMCPTool('crm__search_contacts', { input: { query: 'Ada' } });`,
    `return await callMCPTool('crm__search_contacts', { params: { query: 'Ada' } });`,
    `return await callMCPTool('crm__search_contacts', 'Ada');`,
    `return await callMCPTool('crm__search_contacts', { q: 'Ada' });`,
  ]),
  row(
    `const response = await fetch('http://localhost:3000/mcp', {\n  method: 'POST',\n  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'crm__search_contacts', arguments: { query: 'Ada' } } }),\n});\nreturn await response.json();`,
    ['callMCPTool'],
    SEARCH,
    FOUND,
  ),
  row(`return await callMCPTool('crm__find_contact', { query: 'Ada' });`, ['crm has: search_contacts'], SEARCH, FOUND),
  row(
    `return await callMCPTool("crm__search_contacts", { query: \u201cAda\u201d })`,
    ['\u201c', 'column 59'],
    SEARCH,
    FOUND,
  ),
  row(
    `return await callMCPTool('github__search_issues', { owner: 'acme', repo: 'web' });`,
    ['github.list_issues(', '{owner: string, repo: string'],
    `return await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web' });`,
    ISSUES,
  ),
  row(
    `return await callMCPTool('github__list_issues', { repo: 'acme/web' });`,
    ['owner'],
    `return await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web' });`,
    ISSUES,
  ),
  row(
    `return await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web', state: 'OPEN', label: 'bug', perPage: 10 });`,
    ['state', '"open"', 'labels', 'per_page'],
    `return await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web', state: 'open', labels: ['bug'], per_page: 10 });`,
    ISSUES,
  ),
  row(
    `return await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web', labels: 'bug' });`,
    ['labels', 'string[]'],
    `return await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web', labels: ['bug'] });`,
    ISSUES,
  ),
  row(
    `return await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web', since: Date.now() - 86400000 });`,
    ['since', 'date-time'],
    `return await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web', since: new Date(Date.now() - 86400000).toISOString() });`,
    ISSUES,
  ),
  row(
    `return await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web', since: 'last week', state: 'unresolved' });`,
    ['since', 'date-time', 'state', '"open"'],
    `return await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web', since: '2026-01-01T00:00:00Z', state: 'open' });`,
    ISSUES,
  ),
  row(
    `return await callMCPTool('chat__send_message', { channel: '#general', message: 'hi' });`,
    ['chat.post_message(', 'channel_id: string', 'text: string'],
    `return await callMCPTool('chat__post_message', { channel_id: 'C1', text: 'hi' });`,
    { ok: true, channel_id: 'C1' },
  ),
  row(
    `return await callMCPTool('slack__post_message', { channel_id: 'C1', text: 'hi' });`,
    ['chat.post_message('],
    `return await callMCPTool('chat__post_message', { channel_id: 'C1', text: 'hi' });`,
    { ok: true, channel_id: 'C1' },
  ),
  row(
    `return await callMCPTool('chat__post_message', { channel_id: '#general', text: 'hi' });`,
    ['list_channels'],
    `return await callMCPTool('chat__post_message', { channel_id: 'C1', text: 'hi' });`,
    { ok: true, channel_id: 'C1' },
  ),
  row(
    `return await mcp.call('calendar', 'create_event', { title: 'Review', start: '2026-03-10T09:00:00Z' });`,
    ['calendar.create_event('],
    `return await callMCPTool('calendar__create_event', { title: 'Review', start: '2026-03-10T09:00:00Z' });`,
    BOOKED,
  ),
  row(
    `return await callMCPTool('calendar__create_event', { title: 'Review', start: '2026-03-10 09:00' });`,
    ['RFC 3339'],
    `return await callMCPTool('calendar__create_event', { title: 'Review', start: '2026-03-10T09:00:00Z' });`,
    BOOKED,
  ),
  row(
    `return await callMCPTool('calendar__create_event', { summary: 'Review', start: '2026-03-10T09:00:00Z', attendees: 'ada@example.com, ben@example.com' });`,
    ['summary', 'title', 'attendees', 'string[]'],
    `return await callMCPTool('calendar__create_event', { title: 'Review', start: '2026-03-10T09:00:00Z' });`,
    BOOKED,
  ),
  row(
    `return await callMCPTool('calendar__create_event', { title: 'Review', start: { dateTime: '2026-03-10T09:00:00Z', timeZone: 'UTC' } });`,
    ['start', 'date-time such as'],
    `return await callMCPTool('calendar__create_event', { title: 'Review', start: '2026-03-10T09:00:00Z' });`,
    BOOKED,
  ),
  row(
    `return await callMCPTool('crm__update_deal', { deal_id: 12, close_date: '10/03/2026' });`,
    ['close_date', 'date such as "2026'],
    `return await callMCPTool('crm__update_deal', { deal_id: 12, close_date: '2026-03-10' });`,
    { deal_id: 12, close_date: '2026-03-10' },
  ),
  row(
    `return await callMCPTool('crm__update_deal', { dealId: 12, stage: 'closed_won', closeDate: 'March 10, 2026' });`,
    ['deal_id', 'close_date', '"won"'],
    `return await callMCPTool('crm__update_deal', { deal_id: 12, stage: 'won', close_date: '2026-03-10' });`,
    { deal_id: 12, stage: 'won', close_date: '2026-03-10' },
  ),
  row(
    `return await callMCPTool('crm__create_note', { contactId: 'k1', text: 'Call back', visibility: 'everyone' });`,
    ['contact_id', 'body', '"public"'],
    `return await callMCPTool('crm__create_note', { contact_id: 'k1', body: 'Call back', visibility: 'public' });`,
    { note: 'Call back' },
  ),
  row(
    `return await callMCPTool('weather__get_forecast', { location: 'Vienna', days: 3 });`,
    ['latitude', 'longitude'],
    `return await callMCPTool('weather__get_forecast', { latitude: 48.2, longitude: 16.4, days: 1 });`,
    { daily: [{ date: '2026-03-01', max: 11 }] },
  ),
  row(
    `return await callMCPTool('weather__get_forecast', { latitude: 48.2, longitude: 16.4, days: 14, units: 'celsius' });`,
    ['days', '7', 'units', '"metric"'],
    `return await callMCPTool('weather__get_forecast', { latitude: 48.2, longitude: 16.4, days: 1, units: 'metric' });`,
    { daily: [{ date: '2026-03-01', max: 11 }] },
  ),
  row(
    `const { contacts } = await callMCPTool('crm__search_contacts', { query: 'a' });\nreturn contacts.map((c) => c.name);`,
    ['next_cursor'],
    ALL,
    NAMES,
  ),
  row(
    `const found = await callMCPTool('crm__search_contacts', { query: 'a' });\nreturn found.contacts.length;`,
    ['next_cursor'],
    ALL,
    NAMES,
  ),
  row(
    `const { data } = await callMCPTool('crm__search_contacts', { query: 'Ada' });\nreturn data.contacts[0].name;`,
    ["'data'", 'contacts'],
    `const { contacts } = await callMCPTool('crm__search_contacts', { query: 'Ada' });\nreturn contacts[0].name;`,
    'Ada',
  ),
  row(
    `const r = await callMCPTool('crm__search_contacts', { query: 'Ada' });\nreturn r.structuredContent.contacts[0].name;`,
    ['structuredContent', 'contacts'],
    `const r = await callMCPTool('crm__search_contacts', { query: 'Ada' });\nreturn r.contacts[0].name;`,
    'Ada',
  ),
  row(
    `const r = await callMCPTool('crm__search_contacts', { query: 'Ada' });\nreturn JSON.parse(r.content[0].text).contacts[0].name;`,
    ['content', 'contacts'],
    `const r = await callMCPTool('crm__search_contacts', { query: 'Ada' });\nreturn r.contacts[0].name;`,
    'Ada',
  ),
  row(
    `const [first] = await callMCPTool('crm__search_contacts', { query: 'Ada' });\nreturn first.name;`,
    ['contacts'],
    `const { contacts: [first] } = await callMCPTool('crm__search_contacts', { query: 'Ada' });\nreturn first.name;`,
    'Ada',
  ),
  row(
    `const { company_name } = await callMCPTool('crm__get_contact', { contact_id: 'k1' });\nreturn company_name.toUpperCase();`,
    ['company: {id: string, name: string}'],
    `const { company } = await callMCPTool('crm__get_contact', { contact_id: 'k1' });\nreturn company.name.toUpperCase();`,
    'ACME',
  ),
  row(
    `const contact = await callMCPTool('crm__get_contact', { contact_id: 'k1' });\nreturn contact.phone.replace(/-/g, '');`,
    ['phone', 'null'],
    `const contact = await callMCPTool('crm__get_contact', { contact_id: 'k1' });\nreturn contact.phone?.replace(/-/g, '') ?? 'none';`,
    'none',
  ),
  row(
    `const issues = await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web' });\nreturn issues.items.map((issue) => issue.title);`,
    ['github__list_issues returned {number'],
    `const issues = await callMCPTool('github__list_issues', { owner: 'acme', repo: 'web' });\nreturn issues.map((issue) => issue.title);`,
    ['Crash'],
  ),
  row(
    `const { contacts } = await callMCPTool('crm__search_contacts', { query: 'Ada' });\nreturn contacts.find((c) => c.name === 'Zed').id;`,
    ['undefined', 'id'],
    `const { contacts } = await callMCPTool('crm__search_contacts', { query: 'Ada' });\nreturn contacts.find((c) => c.name === 'Zed')?.id ?? 'none';`,
    'none',
  ),
  row(
    `const file = await callMCPTool('github__get_file_contents', { owner: 'acme', repo: 'web', path: 'a.txt' });\nreturn file.content.split('\\n').length;`,
    ['returned string'],
    `const file = await callMCPTool('github__get_file_contents', { owner: 'acme', repo: 'web', path: 'a.txt' });\nreturn file.split('\\n').length;`,
    2,
  ),
  row(
    `const file = await callMCPTool('github__get_file_contents', { owner: 'acme', repo: 'web', path: 'a.txt' });\nreturn atob(file.content);`,
    ['returned string'],
    `return await callMCPTool('github__get_file_contents', { owner: 'acme', repo: 'web', path: 'a.txt' });`,
    'one\ntwo',
  ),
  row(
    `(async () => {\n  const { contacts } = await callMCPTool('crm__get_contact', { contact_id: 'k1' });\n  return contacts;\n})();`,
    ['return'],
    `return (await callMCPTool('crm__get_contact', { contact_id: 'k1' })).id;`,
    'k1',
  ),
  row(
    `const total = [1, 2].reduce(async (sum, n) => sum + (await callMCPTool('github__merge_pull_request', { owner: 'a', repo: 'b', pull_number: n })).merged, 0);\nreturn total;`,
    ['await'],
    `let total = 0;\nfor (const n of [1, 2]) total += (await callMCPTool('github__merge_pull_request', { owner: 'a', repo: 'b', pull_number: n })).merged;\nreturn total;`,
    3,
  ),
  row(
    `const result = await callMCPTool('github__merge_pull_request', { owner: 'acme', repo: 'web', pullNumber: '7' });\nreturn result;`,
    ['pull_number', 'number'],
    `return await callMCPTool('github__merge_pull_request', { owner: 'acme', repo: 'web', pull_number: 7 });`,
    { merged: 7 },
  ),
  row(`return await mcpServers.crm.tools.search_contacts.execute({ query: 'Ada' });`, SEARCHED, SEARCH, FOUND),
  row(
    `const search = tools.find((tool) => tool.name === 'search_contacts');\nreturn await search.invoke({ query: 'Ada' });`,
    SEARCHED,
    SEARCH,
    FOUND,
  ),
  row(`return await crm.contacts.search({ query: 'Ada' });`, ['It has:', 'search_contacts'], SEARCH, FOUND),
  row(
    `return await callMCPTool('crm__search_contacts', { Query: 'Ada', Limit: 5 });`,
    ['Did you mean query?', 'cursor?'],
    SEARCH,
    FOUND,
  ),
  row(
    `import { callMCPTool } from 'toolwright';\nreturn await callMCPTool('crm__search_contacts', { query: 'Ada' });`,
    ['remove the import'],
    SEARCH,
    FOUND,
  ),
  row(
    `return await callMCPTool('github__merge_pull_request', { owner: 'acme', repo: 'web', pull_number: '#7', merge_method: 'Squash and merge' });`,
    ['pull_number', 'number', '"squash"'],
    `return await callMCPTool('github__merge_pull_request', { owner: 'acme', repo: 'web', pull_number: 7, merge_method: 'squash' });`,
    { merged: 7 },
  ),
  row(
    `const { daily } = await callMCPTool('weather__get_forecast', { latitude: 95, longitude: 16.4 });\nreturn daily.length;`,
    ['latitude', '90'],
    `const { daily } = await callMCPTool('weather__get_forecast', { latitude: 48, longitude: 16.4 });\nreturn daily.length;`,
    1,
  ),
  row(
    `const { daily } = await callMCPTool('weather__get_forecast', { latitude: 48, longitude: 16.4 });\nreturn daily[0].temperature.max;`,
    ['max: number'],
    `const { daily } = await callMCPTool('weather__get_forecast', { latitude: 48, longitude: 16.4 });\nreturn daily[0].max;`,
    11,
  ),
];
