// Tools that enlarge the catalog but belong to no task. An agent can find them, and a call of one fails.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateCatalog } from './generated.mjs';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const data = process.env.TOOLWRIGHT_DATA ?? resolve(REPOSITORY, '../shared/data');
const CATALOGS = ['github-mcp', 'livemcpbench', 'toucan'];
const MOST_PER_SERVER = 60;

/** Opens the real catalogs, or a generated one if they are missing. `taken` are the names of the connected servers. */
export function openPadding(taken) {
  const paths = CATALOGS.map((name) => join(data, 'catalogs', `${name}.json`));
  const real = paths.every((path) => existsSync(path));
  const servers = real ? paths.flatMap((path) => JSON.parse(readFileSync(path, 'utf8'))) : generateCatalog(6_500);
  const named = new Map();
  for (const entry of servers) {
    const known = taken.includes(entry.server) || named.has(entry.server);
    const server = known ? `${entry.server}-${named.size}` : entry.server;
    named.set(server, { ...entry, server, tools: distinct(entry.tools).slice(0, MOST_PER_SERVER) });
  }
  return { source: real ? CATALOGS.join(' + ') : 'generated', servers: [...named.values()] };
}

/** Returns servers with `count` tools in total, as the option `tools` of a Toolwright, and their definitions. */
export function pad({ servers }, count) {
  const tools = {};
  const definitions = [];
  for (const { server, description, tools: all } of spread(servers)) {
    const some = all.slice(0, count - definitions.length);
    if (some.length === 0) continue;
    tools[server] = {
      description: description ?? '',
      tools: Object.fromEntries(some.map((tool) => [tool.name, refusing(tool)])),
    };
    definitions.push(...some.map((tool) => ({ server, ...tool })));
  }
  if (definitions.length < count)
    throw new Error(`The catalogs have ${definitions.length} tools, ${count} are required.`);
  return { tools, definitions };
}

/** Reorders the servers deterministically, so that a small catalog has the same mix as a large one. */
function spread(servers) {
  const step = 61;
  return servers
    .map((_, index) => servers[(index * step) % servers.length])
    .filter((server, index, all) => all.indexOf(server) === index);
}

const distinct = (tools) => [...new Map(tools.map((tool) => [tool.name, tool])).values()];

function refusing({ name: _, ...definition }) {
  return {
    ...definition,
    run() {
      throw new Error('This tool only enlarges the catalog and cannot be called.');
    },
  };
}
