import { FOUND, ISSUES, NAMES, type Row, row } from './row.ts';

const SEARCH = `result = await call_mcp_tool("crm__search_contacts", {"query": "Ada"})`;
const BOOKED = { title: 'Review', start: '2026-03-10T09:00:00Z', attendees: [] };
const ALL = `names, cursor = [], None
while True:
    page = await call_mcp_tool("crm__search_contacts", {"query": "a", **({"cursor": cursor} if cursor else {})})
    names += [c["name"] for c in page["contacts"]]
    cursor = page["next_cursor"]
    if not cursor:
        break
result = names`;

const forms = (sources: readonly string[]) =>
  sources.map((source) => row(source, ['crm', 'search_contacts('], SEARCH, FOUND));

/** Programs in Python. */
export const PYTHON: readonly Row[] = [
  ...forms([
    `from mcp import ClientSession\nasync with ClientSession() as session:\n    result = await session.call_tool("search_contacts", {"query": "Ada"})`,
    `result = crm.search_contacts(query="Ada")`,
    `from tools import crm\nresult = await crm.search_contacts(query="Ada")`,
    `result = await mcp_client.call("crm__search_contacts", {"query": "Ada"})`,
    `result = await call_mcp_tool("crm", "search_contacts", query="Ada")`,
    `result = await call_mcp_tool("crm.searchContacts", {"query": "Ada"})`,
    `result = await callTool("crm__search_contacts", {"query": "Ada"})`,
  ]),
  row(
    `result = await call_mcp_tool(name="crm__search_contacts", arguments={"query": "Ada"})`,
    ['call_mcp_tool("crm__search_contacts", {"query": ...})'],
    SEARCH,
    FOUND,
  ),
  row(
    `import requests\nresponse = requests.post("http://localhost:3000/mcp", json={"method": "tools/call", "params": {"name": "crm__search_contacts", "arguments": {"query": "Ada"}}})\nresult = response.json()`,
    ['call_mcp_tool'],
    SEARCH,
    FOUND,
  ),
  row(
    `result = await call_mcp_tool("crm__find_people", {"query": "Ada"})`,
    ['servers.crm.search_contacts(query: str'],
    SEARCH,
    FOUND,
  ),
  row(
    `contact = await call_mcp_tool("crm__get_contact", {"contact_id": "k1"})\nresult = contact["phone"].replace("-", "")`,
    ['phone', 'None'],
    `contact = await call_mcp_tool("crm__get_contact", {"contact_id": "k1"})\nresult = (contact["phone"] or "none").replace("-", "")`,
    'none',
  ),
  row(
    `from datetime import datetime\nresult = await call_mcp_tool("calendar__create_event", {"title": "Review", "start": datetime(2026, 3, 10, 9)})`,
    ['RFC 3339'],
    `from datetime import datetime\nresult = await call_mcp_tool("calendar__create_event", {"title": "Review", "start": datetime(2026, 3, 10, 9).isoformat() + "Z"})`,
    BOOKED,
  ),
  row(
    `import asyncio\n\nasync def main():\n    return await call_mcp_tool("crm__search_contacts", {"query": "Ada"})\n\nif __name__ == "__main__":\n    asyncio.run(main())`,
    ['result'],
    `import asyncio\n\nasync def main():\n    return await call_mcp_tool("crm__search_contacts", {"query": "Ada"})\n\nresult = await main()`,
    FOUND,
  ),
  row(
    `import asyncio\nresult = await asyncio.gather([call_mcp_tool("github__merge_pull_request", {"owner": "a", "repo": "b", "pull_number": n}) for n in (1, 2)])`,
    ['asyncio.gather(*'],
    `import asyncio\nresult = await asyncio.gather(*[call_mcp_tool("github__merge_pull_request", {"owner": "a", "repo": "b", "pull_number": n}) for n in (1, 2)])`,
    [{ merged: 1 }, { merged: 2 }],
  ),
  row(
    `found = await call_mcp_tool("crm__search_contacts", {"query": "Ada"})\nresult = [c.name for c in found["contacts"]][:1]`,
    ['name', '["name"]'],
    `found = await call_mcp_tool("crm__search_contacts", {"query": "Ada"})\nresult = [c["name"] for c in found["contacts"]][:1]`,
    ['Ada'],
  ),
  row(
    `found = await call_mcp_tool("crm__search_contacts", {"query": "a"})\nresult = [c["name"] for c in found["contacts"]]`,
    ['next_cursor'],
    ALL,
    NAMES,
  ),
  row(
    `result = await call_mcp_tool("github__list_issues", {"owner": "acme", "repo": "web", "state": "Open", "perPage": 50})`,
    ['state', 'open', 'per_page'],
    `result = await call_mcp_tool("github__list_issues", {"owner": "acme", "repo": "web", "state": "open", "per_page": 50})`,
    ISSUES,
  ),
  row(
    `result = await call_mcp_tool("github__list_issues", {"owner": "acme", "repo": "web", "labels": {"bug"}})`,
    ['Crash'],
    `result = await call_mcp_tool("github__list_issues", {"owner": "acme", "repo": "web", "labels": ["bug"]})`,
    ISSUES,
  ),
  row(
    `issues = await call_mcp_tool("github__list_issues", {"owner": "acme", "repo": "web"})\nresult = [i["title"] for i in issues["items"]]`,
    ['issues is a list of 1 of dicts'],
    `issues = await call_mcp_tool("github__list_issues", {"owner": "acme", "repo": "web"})\nresult = [i["title"] for i in issues]`,
    ['Crash'],
  ),
  row(
    `result = await call_mcp_tool("weather__get_forecast", {"latitude": "48.2", "longitude": "16.4"})`,
    ['latitude', 'float'],
    `result = await call_mcp_tool("weather__get_forecast", {"latitude": 48.2, "longitude": 16.4})`,
    { daily: [{ date: '2026-03-01', max: 11 }] },
  ),
  row(`result = (await servers.crm.searchContacts(query="Ada"))`, ['search_contacts'], SEARCH, FOUND),
  row(`result = await crm.contacts.search("Ada")`, ['crm.search_contacts(query: str'], SEARCH, FOUND),
  row(
    `found = call_mcp_tool("crm__search_contacts", {"query": "Ada"})\nresult = found["contacts"][0]["name"]`,
    ['await'],
    `found = await call_mcp_tool("crm__search_contacts", {"query": "Ada"})\nresult = found["contacts"][0]["name"]`,
    'Ada',
  ),
  row(
    `result = await call_mcp_tool("crm__update_deal", {"deal_id": "12", "stage": "Won", "close_date": "10.3.2026"})`,
    ['deal_id', 'int', '"won"', 'close_date', 'date such as'],
    `result = await call_mcp_tool("crm__update_deal", {"deal_id": 12, "stage": "won", "close_date": "2026-03-10"})`,
    { deal_id: 12, stage: 'won', close_date: '2026-03-10' },
  ),
];
