import { type Row, row } from '../unseen/row.ts';

const FOUND = {
  issues: [
    { key: 'WEB-1', summary: 'Crash', status: 'Open' },
    { key: 'WEB-2', summary: 'Slow', status: 'Open' },
  ],
  total: 2,
};
const SEARCH = `result = await servers.jira.search_issues(jql="project = WEB")`;
const LIGHT = `result = await servers.home_assistant.set_light(entity_id="light.desk", on=True)`;
const ALL_FILES = `first = await servers.drive.list_files()
second = await servers.drive.list_files(page_token=first["next_page_token"])
result = len(first["files"]) + len(second["files"])`;

const searches = (sources: readonly string[]) =>
  sources.map((source) => row(source, ['search_issues(jql: str'], SEARCH, FOUND));

/** Programs in Python. */
export const PYTHON_LATER: readonly Row[] = [
  ...searches([
    `result = await jira.search_issues(jql="project = WEB")`,
    `result = await servers.jira.search_issues(query="project = WEB")`,
    `result = await servers.jira.search_issues()`,
    `from mcp.servers.jira import search_issues\nresult = await search_issues(jql="project = WEB")`,
    `async with Client("jira") as jira:\n    result = await jira.call_tool("search_issues", {"jql": "project = WEB"})`,
    `result = await servers["jira"]["search_issues"]({"jql": "project = WEB"})`,
    `result = await servers.call("jira", "search_issues", jql="project = WEB")`,
    `result = await call_mcp_tool("jira_search_issues", {"jql": "project = WEB"})`,
  ]),
  row(`result = await servers.jira.search(jql="project = WEB")`, ['search_issues'], SEARCH, FOUND),
  row(`result = await servers.home_assistant.set_light(entity_id="light.desk", on="yes")`, ['on', 'bool'], LIGHT, {
    on: true,
  }),
  row(
    `issue = await servers.jira.create_issue(project="WEB", title="Crash", issue_type="bug", priority="high")\nresult = issue["key"]`,
    ['project_key', 'summary', '"Bug"'],
    `issue = await servers.jira.create_issue(project_key="WEB", summary="Crash", issue_type="Bug")\nresult = issue["key"]`,
    'WEB-3',
  ),
  row(
    `found = await servers.jira.search_issues(jql="project = WEB")\nresult = [issue["fields"]["summary"] for issue in found["issues"]]`,
    ['fields', 'summary'],
    `found = await servers.jira.search_issues(jql="project = WEB")\nresult = [issue["summary"] for issue in found["issues"]]`,
    ['Crash', 'Slow'],
  ),
  row(`page = await servers.drive.list_files()\nresult = len(page["files"])`, ['next_page_token'], ALL_FILES, 3),
  row(`page = await servers.drive.list_files()\nresult = len(page.files)`, ['["files"]'], ALL_FILES, 3),
  row(
    `result = await servers.payments.create_refund(payment_id="p1", amount=12.50)`,
    ['amount', 'int'],
    `result = await servers.payments.create_refund(payment_id="p1", amount=1250)`,
    { refunded: 1250 },
  ),
  row(
    `import json\nfound = json.loads(await servers.db.run_query(sql="select name from users"))\nresult = found["rows"][0]["name"]`,
    ['dict'],
    `found = await servers.db.run_query(sql="select name from users")\nresult = found["rows"][0]["name"]`,
    'Ada',
  ),
  row(
    `def main():\n    return await servers.payments.get_balance()\n\nresult = main()`,
    ['async def'],
    `async def main():\n    return await servers.payments.get_balance()\n\nresult = await main()`,
    { available: { eur: 500 }, pending: { eur: 0 } },
  ),
  row(
    `result = await servers.payments.get_balance()["available"]["eur"]`,
    ['(await'],
    `result = (await servers.payments.get_balance())["available"]["eur"]`,
    500,
  ),
  row(
    `found = await servers.jira.search_issues(jql="project = WEB")\nresult = [issue["summary"] for issue in found]`,
    ['{"issues": '],
    `found = await servers.jira.search_issues(jql="project = WEB")\nresult = [issue["summary"] for issue in found["issues"]]`,
    ['Crash', 'Slow'],
  ),
  row(
    `page = {"items": [1]}\nresult = page.items[0]`,
    ['page["items"]'],
    `page = {"items": [1]}\nresult = page["items"][0]`,
    1,
  ),
];
