// The development data of tool search: catalogs, and queries in two halves by task.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolId } from '../../packages/connectors/build/tools/tool.js';

export const DATA =
  process.env.TOOLWRIGHT_DATA ?? resolve(fileURLToPath(new URL('../..', import.meta.url)), '../shared/data');
export const hasData = existsSync(DATA);

const read = (file) => readFileSync(join(DATA, file), 'utf8');

/** Returns the servers of a catalog. */
export function catalog(name) {
  return JSON.parse(read(`catalogs/${name}.json`)).map(({ server, description, tools }) => ({
    server,
    description,
    tools: tools.map((definition) => ({ id: toolId(server, definition.name), server, definition })),
  }));
}

/** Merges catalogs. Two catalogs may have a server of the same name. */
export function merged(servers) {
  const byName = new Map();
  for (const entry of servers) {
    const known = byName.get(entry.server);
    byName.set(entry.server, known ? { ...known, tools: [...known.tools, ...entry.tools] } : entry);
  }
  return [...byName.values()];
}

/** Returns the queries of a set with their task and its half. All queries of a task, in all sets, are in one half. */
export function queries(name) {
  return read(`retrieval/${name}.tune.jsonl`)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((entry) => {
      const task = entry.task ?? entry.id.split('#')[0];
      return { ...entry, task, relevant: entry.relevant ?? entry.task_relevant, half: halfOf(task) };
    })
    .filter(({ relevant }) => relevant.length > 0);
}

/** Returns the half of a task: nothing is tuned on the tasks that are `heldOut`. */
export function halfOf(task) {
  return createHash('sha256').update(`toolwright-search:${task}`).digest()[0] % 2 === 0 ? 'tuned' : 'heldOut';
}
