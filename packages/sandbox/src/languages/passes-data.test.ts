// biome-ignore-all lint/suspicious/noTemplateCurlyInString: programs are texts
import { expect, test } from 'vitest';
import { pythonPassesData } from './python/passes-data.ts';
import { parseProgram } from './typescript/parse.ts';
import { passesData } from './typescript/passes-data.ts';

const typescript = (source: string) => passesData(parseProgram(source));

test.each([
  "return (await callMCPTool('crm__find', { id: 1 })).email",
  "const { user: { email } } = await callMCPTool('crm__find', { id: 1 }); return { email, to: `mailto:${email}` };",
  "import { find } from './servers/crm/index.js'; export default (await find({ id: 1 }))?.email ?? 'none'",
  "import * as crm from './servers/crm'; const a = await crm.find(); await crm.send({ to: a.email }); return a['email'];",
  'const rows = await servers.crm.list(); console.log(rows); return rows.map(({ email, name }) => ({ email, who: name }));',
  "const rows = await callMCPTool('crm__list'); return await Promise.all(rows.map(async (r) => { return await callMCPTool('crm__send', { to: r.email }) }));",
  "const found = (await callMCPTool('crm__find', {})) as { email: string }; found.email",
])('TypeScript that passes data on: %s', (source) => expect(typescript(source)).toBe(true));

test.each([
  'email.length',
  "email['length']",
  'const { length } = email; return length',
  'email[0]',
  "email['0']",
  'const [first] = email; return first',
  '[...email]',
  '({ ...email })',
  "email === 'a@x.com'",
  'email ? 1 : 2',
  "email || 'none'",
  "email + 'x'",
  "email.split('@')",
  'rows.map((r, index) => r)',
  'rows.map((r) => r.email.length)',
  'rows.filter((r) => r.email)',
  'for (const row of rows) console.log(row); return rows',
  'if (email) return 1; return 2',
  'JSON.stringify(email)',
  'Number(email)',
  'new Date(email)',
  'typeof email',
  '({ [email]: 1 })',
  'callMCPTool(email, {})',
  'email.constructor.name',
  'String.raw`${email}`',
  'const f = (x) => x.length; return f(email)',
  'return await Promise.all(email)',
  'return Promise.all((await callMCPTool("crm__find", {})).name)',
  "import { f } from './helpers.ts'; return f(email)",
  "await run_skill('s', { email })",
  "await fs.writeFile('a', email)",
  'email in {}',
  'try { return email } catch { return 1 }',
])('TypeScript that may read a text: %s', (source) => expect(typescript(source)).toBe(false));

test.each([
  'return (await call_mcp_tool("crm__find", {"id": 1}))["email"]',
  'found = await call_mcp_tool("crm__find", {"id": 1})\nresult = {"to": found["user"]["email"], "list": [found]}',
  'from servers.crm import find, send\nuser = await find(id=1)\nawait send(to=user["email"])\nprint(user)\nresult = user',
  'user = await servers.crm.find({"id": 1})  # a comment: len(user)\nuser["email"]',
])('Python that passes data on: %s', (source) => expect(pythonPassesData(source)).toBe(true));

test.each([
  'len(email)',
  'email[0]',
  'email[1:3]',
  'email[key]',
  'email == "a@x.com"',
  'email in list',
  'email + "x"',
  'f"{email[0]}"',
  'email.split("@")',
  'result = {first, second}',
  'result = {"a": 1, **email}',
  '[row for row in rows]',
  'for row in rows:\n  print(row)',
  'if email: result = 1',
  'x = "a" if email else "b"',
  'from helpers import f\nresult = f(email)',
  'from servers.crm import *\nfind()',
  'first, *rest = email',
  'sorted(rows)',
  'not email',
])('Python that may read a text: %s', (source) => expect(pythonPassesData(source)).toBe(false));
