// Measures lists, filters and searches of many executions on SQLite and PostgreSQL, and fails above the limits:
// node bench/lists.mjs [--executions 1000000] [--engine sqlite|postgres]

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createToolwright } from '@toolwright/core';
import { dataFolder, openPostgres, openSqlite } from '@toolwright/storage/internal';
import { startPostgres } from './cluster/databases.mjs';

const { values } = parseArgs({
  options: { executions: { type: 'string', default: '1000000' }, engine: { type: 'string' } },
});
const count = Number(values.executions);
const BATCH = 20_000;
const TIMES = 9;
const LIMITS_MS = { list: 100, filter: 200, search: 300 };
const QUERIES = {
  list: [{}, { limit: 200 }, { all: true, limit: 200 }, { to: new Date(Date.now() - count * 500).toISOString() }],
  filter: [
    { status: 'failed' },
    { status: ['failed', 'stopped'] },
    { status: 'running' },
    { tool: 'crm__find' },
    { tool: 'crm__find', status: 'failed' },
    { error: 'TOOL_FAILED' },
    { minTokens: 1_000 },
    { userId: 'ana', status: 'failed' },
    { sessionId: 'session-7' },
    { hasQuestions: true },
  ],
  search: [
    { text: 'rows' },
    { text: 'customer 499' },
    { text: 'refus 7' },
    { text: 'nothing' },
    { text: 'rows', status: 'failed' },
  ],
};

/** The generated rows. `each` counts them. Both engines know these functions. */
const STATUS = "case when n.each % 9 = 0 then 'failed' else 'completed' end";
const TOOL =
  "case n.each % 4 when 0 then 'github__list' when 1 then 'slack__post' when 2 then 'crm__find' else 'files__read' end";
const USER = "case when n.each % 5 = 0 then 'ana' else 'local' end";
const ERROR = "case when n.each % 9 = 0 then 'TOOL_FAILED' end";
const CONTENT = `'{"id":"' || n.id || '","userId":"' || ${USER} || '","language":"typescript","sandbox":"quickjs","startedAt":"2026-01-01T00:00:00.000Z",'
  || '"preview":"const rows = await callMCPTool(' || n.each || ')","tools":[{"tool":"' || ${TOOL} || '","calls":1,"failed":0}],"toolCalls":1,'
  || '"toolErrors":0,"openQuestions":0,"callBytes":1500}'`;
const SESSION = "'session-' || (n.each % 50)";
const FACTS = ['n.id', USER, SESSION, STATUS, ERROR, '120 + n.each % 900', 'n.each % 3000', '0', 'false'];

async function fillSqlite(database, from, to, begin) {
  const id = `printf('%08x-0000-4000-8000-%012x', (each * 2654435761) % 4294967296, each)`;
  const numbers = `with recursive numbers (each) as (select cast($1 as integer) union all select each + 1 from numbers where each < $2), n as (select each, ${id} as id from numbers)`;
  await database.write(
    `${numbers} insert into executions (id, user_id, session, started_ms, status, dry_run, changed_at)
      select n.id, ${USER}, ${SESSION}, $3 + n.each * 1000, ${STATUS}, false, $3 + n.each * 1000 from n where true`,
    [from, to - 1, begin],
  );
  await database.write(
    `${numbers} insert into index_executions (id, user_id, session, status, error, tokens, ms, questions, dry_run, tools, words, content, place)
      select ${FACTS.join(', ')}, json_array(${TOOL}), 'customer ' || (n.each % 500) || ' const rows await upstream ' || (n.each % 37) || ' refused', ${CONTENT}, 0 from n`,
    [from, to - 1],
  );
}

async function fillPostgres(database, from, to, begin) {
  const numbers = `(select each, (lpad(to_hex((each * 2654435761) % 4294967296), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(each), 12, '0'))::uuid as id
    from generate_series($1::bigint, $2::bigint) as each) n`;
  await database.write(
    `insert into toolwright.executions (id, day, fence, user_id, session, started_ms, status)
      select n.id, current_date, 1, ${USER}, ${SESSION}, $3::bigint + n.each * 1000, ${STATUS} from ${numbers}`,
    [from, to - 1, begin],
  );
  const words = `'''customer'':1 ''' || (n.each % 500) || ''':2 ''const'':3 ''rows'':4 ''await'':5 ''upstream'':6 ''' || (n.each % 37) || ''':7 ''refused'':8'`;
  const all = [...FACTS, TOOL, words, CONTENT].map((each) => `array_agg(${each})`);
  await database.write(`select toolwright.index_executions(${all.join(', ')}) from ${numbers}`, [from, to - 1]);
}

async function measure(engine, { store, dataDir, database, fill }) {
  const start = performance.now();
  const begin = Date.now() - count * 1_000;
  for (let at = 0; at < count; at += BATCH) await fill(database, at, Math.min(at + BATCH, count), begin);
  if (engine === 'postgres') await database.write('vacuum analyze toolwright.executions, toolwright.execution_rows');
  console.log(`${engine}: ${count} rows in ${Math.round((performance.now() - start) / 1_000)} s`);
  const toolwright = await createToolwright({ dataDir, sandbox: 'quickjs', store });
  let isOver = false;
  await toolwright.executions.find({});
  for (const [kind, queries] of Object.entries(QUERIES)) {
    for (const query of queries) {
      const all = [];
      let found = 0;
      for (let time = 0; time < TIMES; time++) {
        const since = performance.now();
        found = (await toolwright.executions.find(query)).executions.length;
        all.push(performance.now() - since);
      }
      const ms = all.sort((a, b) => a - b)[Math.floor(TIMES / 2)];
      isOver ||= ms > LIMITS_MS[kind];
      console.log(
        `${engine} ${kind} ${JSON.stringify(query)}: ${ms.toFixed(1)} ms, ${found} found, limit ${LIMITS_MS[kind]} ms`,
      );
    }
  }
  await toolwright.close();
  return isOver;
}

const dataDir = mkdtempSync(join(tmpdir(), 'toolwright-lists-'));
let isOver = false;
if (values.engine !== 'postgres') {
  const database = openSqlite(dataFolder(dataDir).state);
  isOver = await measure('sqlite', { store: 'memory', dataDir, database, fill: fillSqlite });
  await database[Symbol.asyncDispose]();
}
if (values.engine !== 'sqlite') {
  const server = await startPostgres(['fsync=off']);
  const database = openPostgres({ url: server.url });
  const other = mkdtempSync(join(tmpdir(), 'toolwright-lists-'));
  isOver = (await measure('postgres', { store: server.url, dataDir: other, database, fill: fillPostgres })) || isOver;
  await database[Symbol.asyncDispose]();
  await server.stop();
  rmSync(other, { recursive: true, force: true });
}
rmSync(dataDir, { recursive: true, force: true });
process.exitCode = isOver ? 1 : 0;
