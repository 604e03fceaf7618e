// Writes a data folder with many executions, as if they had run here. The index of executions is built from it.
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TOOLS = ['github__list_issues', 'slack__post', 'crm__find', 'files__read'];
const USERS = ['local', 'local', 'local', 'local', 'ana'];
const FORMAT = 2;

/** Writes `count` executions, one per second until now. Every tenth one has failed. */
export function writeJournals(dataDir, count) {
  const executions = join(dataDir, 'executions');
  mkdirSync(executions, { recursive: true });
  const begin = Date.now() - count * 1_000;
  for (let each = 0; each < count; each++) {
    const [id, ms] = [randomUUID(), begin + each * 1_000];
    const [user, session] = [USERS[each % USERS.length], `session-${each % 50}`];
    const lines = journalOf({ each, id, user, session, at: new Date(ms).toISOString() });
    writeFileSync(join(executions, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

function journalOf({ each, id, user, session, at }) {
  const isFailed = each % 10 === 0;
  const status = isFailed ? 'failed' : 'completed';
  const tool = TOOLS[each % TOOLS.length];
  const source = `// customer ${each % 500}\nconst rows = await callMCPTool('${tool}', { page: ${each} });\n${'return rows.filter((row) => row.open);\n'.repeat(8)}`;
  const end = isFailed
    ? { error: { code: 'TOOL_FAILED', message: `upstream ${each % 37} refused` } }
    : { value: { rows: each } };
  const stats = { totalMs: each % 3_000, tokens: { code: 120, output: each % 900 } };
  const start = { id, user, session, language: 'typescript', sandbox: 'quickjs', source };
  return [
    { entry: 'start', at, format: FORMAT, ...start },
    { entry: 'call', at, number: 1, request: 1, tool, arguments: { page: each } },
    { entry: 'answer', at, number: 1, ok: !isFailed, result: { text: 'x'.repeat(1_500), who: '[EMAIL_1]' } },
    { entry: 'result', at, result: { ...end, logs: [], stats } },
    { entry: 'end', at, status },
  ];
}
