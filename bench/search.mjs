// Measures tool search and the tokens of its answers on the development data; JSON on stdout. Needs a build.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import MiniSearch from 'minisearch';
import { suggest } from '../packages/core/dist/catalog/names/suggest.js';
import { createToolIndex } from '../packages/core/dist/catalog/search/tool-index.js';
import { toolSummary } from '../packages/core/dist/catalog/signatures/signature.js';
import { toolSignature } from '../packages/core/dist/catalog/signatures/typescript/signature.js';
import { toolId } from '../packages/core/dist/catalog/tool.js';

const DEPTH = 50;
const data = process.env.TOOLWRIGHT_DATA ?? resolve(fileURLToPath(new URL('..', import.meta.url)), '../shared/data');

if (!existsSync(data)) {
  console.log(JSON.stringify({ skipped: `no data at ${data}; set TOOLWRIGHT_DATA` }));
  process.exit(0);
}

const read = (file) => readFileSync(join(data, file), 'utf8');
const catalog = (name) =>
  JSON.parse(read(`catalogs/${name}.json`)).map(({ server, description, tools }) => ({
    server,
    description,
    tools: tools.map((definition) => ({ id: toolId(server, definition.name), server, definition })),
  }));
const queries = (name) =>
  read(`retrieval/${name}.tune.jsonl`)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Creates an index of Toolwright. Its `search` has the same signature as that of MiniSearch below. */
function toolwrightSearch(servers) {
  const index = createToolIndex();
  for (const { server, description, tools } of servers) index.set(server, { description, tools });
  return { index, search: (query, limit) => index.search(query, { limit }).map(({ tool }) => tool.id) };
}

function minisearch(servers) {
  const index = new MiniSearch({ fields: ['name', 'server', 'description', 'parameters', 'serverDescription'] });
  index.addAll(
    servers.flatMap(({ server, description, tools }) =>
      tools.map(({ id, definition }) => ({
        id,
        name: definition.name,
        server,
        description: definition.description ?? '',
        parameters: Object.keys(definition.inputSchema?.properties ?? {}).join(' '),
        serverDescription: description ?? '',
      })),
    ),
  );
  return {
    search: (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => id),
  };
}

function quality(search, set) {
  const sums = { recall1: 0, recall5: 0, recall10: 0, mrr: 0 };
  const times = [];
  for (const { query, relevant } of set) {
    const start = performance.now();
    const found = search(query, DEPTH);
    times.push(performance.now() - start);
    const recall = (top) =>
      relevant.filter((alternatives) => alternatives.some((id) => found.slice(0, top).includes(id))).length /
      relevant.length;
    sums.recall1 += recall(1);
    sums.recall5 += recall(5);
    sums.recall10 += recall(10);
    const rank = found.findIndex((id) => relevant.some((alternatives) => alternatives.includes(id)));
    sums.mrr += rank < 0 ? 0 : 1 / (rank + 1);
  }
  const means = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, round(sum / set.length)]));
  return { queries: set.length, ...means, p50Ms: round(percentile(times, 0.5)), p99Ms: round(percentile(times, 0.99)) };
}

/**
 * Measures real queries of agents: the share of tools that all queries of a task find, and the share of queries
 * that find any tool. The set has about half of the queries of each task, so an agent would reach a higher first share.
 */
function agentRecall(search, set, limit) {
  const tasks = new Map();
  for (const entry of set) tasks.set(entry.task, [...(tasks.get(entry.task) ?? []), entry]);
  const unions = [];
  const hits = [];
  for (const entries of tasks.values()) {
    const relevant = entries[0].task_relevant;
    if (relevant.length === 0) continue;
    const answers = entries.map(({ query }) => search(query, limit));
    const share = (ids) => relevant.filter((alternatives) => alternatives.some((id) => ids.includes(id))).length;
    unions.push(share(answers.flat()) / relevant.length);
    hits.push(...answers.map((ids) => (share(ids) > 0 ? 1 : 0)));
  }
  return { unionRecall: round(mean(unions)), queryHit: round(mean(hits)) };
}

/** Merges catalogs. Two catalogs may have a server of the same name. */
function merged(servers) {
  const byName = new Map();
  for (const entry of servers) {
    const known = byName.get(entry.server);
    byName.set(entry.server, known ? { ...known, tools: [...known.tools, ...entry.tools] } : entry);
  }
  return [...byName.values()];
}

const percentile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value) => Math.round(value * 1_000) / 1_000;

function timed(work) {
  const start = performance.now();
  const result = work();
  return { result, ms: round(performance.now() - start) };
}

const live = catalog('livemcpbench');
const bfcl = catalog('bfcl-live');
const mega = merged([...live, ...catalog('github-mcp'), ...catalog('toucan')]);
const haystacks = {
  livemcpbench: live,
  'bfcl-live': bfcl,
  metatool: catalog('metatool'),
  mega,
  'mega+bfcl': [...mega, ...bfcl],
};
const pairs = [
  ['live_step', 'livemcpbench'],
  ['live_task', 'livemcpbench'],
  ['bfcl_live_multiple', 'bfcl-live'],
  ['metatool_single_2k', 'metatool'],
  ['live_step', 'mega'],
  ['live_task', 'mega'],
  ['bfcl_live_multiple', 'mega+bfcl'],
];

const report = { tools: mega.flatMap(({ tools }) => tools).length, toolwright: {}, minisearchDefault: {} };
const engines = { toolwright: toolwrightSearch, minisearchDefault: minisearch };
for (const [name, create] of Object.entries(engines)) {
  const built = Object.fromEntries(
    Object.entries(haystacks).map(([haystack, servers]) => [haystack, timed(() => create(servers))]),
  );
  report[name].buildMs = Object.fromEntries(Object.entries(built).map(([haystack, { ms }]) => [haystack, ms]));
  for (const [set, haystack] of pairs) {
    report[name][`${set} in ${haystack}`] = quality(built[haystack].result.search, queries(set));
  }
  for (const haystack of ['livemcpbench', 'mega']) {
    report[name][`live_agent in ${haystack}`] = {
      at5: agentRecall(built[haystack].result.search, queries('live_agent'), 5),
      at10: agentRecall(built[haystack].result.search, queries('live_agent'), 10),
    };
  }
}

// The upper bound of the set: all tools that its queries find with 50 hits.
report.agentCeiling = agentRecall(toolwrightSearch(live).search, queries('live_agent'), 50);

const { index } = toolwrightSearch(mega);
const changes = live.map(({ server, description, tools }) => timed(() => index.set(server, { description, tools })).ms);
const ids = mega.flatMap(({ tools }) => tools.map(({ id }) => id));
report.replaceServerMs = { p50: round(percentile(changes, 0.5)), max: Math.max(...changes) };
const suggestions = Array.from({ length: 9 }, () => timed(() => suggest('github__create_isue', ids)).ms);
report.suggestMs = { p50: round(percentile(suggestions, 0.5)), cold: suggestions[0] };

const hits = mega
  .flatMap(({ tools }) => tools)
  .map((tool) => countTokens(`${toolSignature(tool)}\n  ${toolSummary(tool)}\n`, { disallowedSpecial: new Set() }));
report.tokensPerHit = { mean: round(mean(hits)), p95: percentile(hits, 0.95), max: Math.max(...hits) };

console.log(JSON.stringify(report, null, 2));
