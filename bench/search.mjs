// Measures tool search and the tokens of its answers on the development data; JSON on stdout. Needs a build.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import MiniSearch from 'minisearch';
import { toolSummary } from '../packages/core/build/catalog/signatures/signature.js';
import { toolSignature } from '../packages/core/build/catalog/signatures/typescript/signature.js';
import { suggest } from '../packages/core/dist/catalog/names/suggest.js';
import { createToolIndex } from '../packages/core/dist/catalog/search/tool-index.js';
import { catalog, DATA, hasData, merged, queries } from './search/data.mjs';
import { judged } from './search/judged.mjs';
import { largeCatalog } from './search/large.mjs';
import { learning } from './search/learning.mjs';
import { agentRecall, mean, percentile, quality, round } from './search/quality.mjs';

if (!hasData) {
  console.log(JSON.stringify({ skipped: `no data at ${DATA}; set TOOLWRIGHT_DATA` }));
  process.exit(0);
}

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

// Only tasks of the half on which nothing was tuned.
const measured = Object.fromEntries(
  ['livemcpbench', 'mega', 'metatool'].map((name) => {
    const byId = new Map(haystacks[name].flatMap(({ tools }) => tools).map((tool) => [tool.id, tool]));
    return [name, { index: toolwrightSearch(haystacks[name]).index, toolOf: (id) => byId.get(id) }];
  }),
);
report.judged = await judged(measured.livemcpbench);
report.learning = await learning(measured);
report.large = await largeCatalog(mega, queries('live_step'));

console.log(JSON.stringify(report, null, 2));
