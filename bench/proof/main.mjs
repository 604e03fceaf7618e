// Runs tasks of public benchmarks as programs, and compares the end state with that of direct calls, also with faults. Without --folder,
// it prints the commands that make the checkouts. The options are in docs/proof.md.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPeer } from '../peers/peers.mjs';
import { pictureOf } from './picture.mjs';
import { printReport } from './report.mjs';
import { openResults } from './results.mjs';
import { runDirectly, runVariant } from './run.mjs';
import { openSchemas } from './schemas.mjs';
import { startTools } from './server.mjs';
import { chosenSources, cloneCommands, openCheckout } from './sources.mjs';
import { countTranscripts } from './tokens.mjs';
import { startPeer, startToolwright } from './toolwright.mjs';
import { chosenVariants, inFixedOrder, peerVariants, titleOf } from './variants.mjs';

const QUICK_TASKS = 2;
const MINUTE_MS = 60_000;
const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    results: { type: 'string' },
    set: { type: 'string', multiple: true },
    tasks: { type: 'string' },
    minutes: { type: 'string' },
    variant: { type: 'string', multiple: true },
    quick: { type: 'boolean' },
    peers: { type: 'boolean' },
    picture: { type: 'string' },
  },
});

async function runSet(source, root, { variants, isOver }) {
  const { title, set } = source;
  const checkout = openCheckout(source, values.folder);
  if (checkout.problem) console.error(`${title}: ${checkout.problem}`);
  if (checkout.isMissing) return { title, missing: checkout.problem };
  const folder = join(root, set);
  mkdirSync(folder, { recursive: true });
  const paths = { checkout: join(values.folder, source.folder), venv: join(values.folder, 'venv') };
  const servers = [];
  const toolsOf = (index) => {
    servers[index] ??= startTools({ set, ...paths, state: join(folder, `state-${index}`) });
    return servers[index];
  };
  const kept = (name) => openResults(join(values.results ?? root, 'results', set), name, checkout.commit);
  try {
    const tools = await toolsOf(0);
    const found = await runTasks({ title, toolsOf, ...(await tools.list()), kept, folder, variants, isOver });
    return { title, problem: checkout.problem, ...found };
  } catch (error) {
    // Data can be missing in a checkout of the right commit.
    if (error.code !== 'NO_TOOLS') throw error;
    return { title, missing: error.message };
  } finally {
    for (const server of await Promise.allSettled(servers)) server.value?.close();
  }
}

async function runTasks({ title: set, toolsOf, tools: definitions, tasks: all, kept, folder, variants, isOver }) {
  const tasks = inFixedOrder(all).slice(0, Number(values.tasks ?? (values.quick ? QUICK_TASKS : all.length)));
  const results = kept('direct calls');
  await runDirectly({ toolsOf, tasks, results, isOver });
  const byId = new Map(results.all.map((result) => [result.id, result]));
  const direct = tasks.map(({ id }) => byId.get(id)).filter(Boolean);
  const usable = direct.filter(({ gold }) => gold !== undefined);
  const reading = new Set(definitions.flatMap(({ name, annotations }) => (annotations?.readOnlyHint ? [name] : [])));
  const explain = openSchemas(definitions);
  const refusalOf = ({ gold }) => explain(gold.log);
  const found = [];
  for (const variant of variants) {
    const title = titleOf(variant);
    console.error(`${set}: ${title}`);
    const results = kept(title);
    const start = starterOf(variant);
    const isReadOnly = (name) => reading.has(name);
    const given = { toolsOf, tasks: usable, title, ...variant, start, results, isReadOnly, refusalOf, folder, isOver };
    const reason = await runVariant(given).then(
      () => undefined,
      (error) => missing(error, variant),
    );
    found.push({ title, fault: variant.fault, results: results.all, missing: reason });
  }
  const { url } = await toolsOf(0);
  const transcripts = await countTranscripts({ url, definitions, tasks: usable, folder: join(folder, 'tokens') });
  return { all: all.length, direct, transcripts, variants: found };
}

/** Returns a function that starts the process of a variant. */
function starterOf(variant) {
  if (variant.peer === undefined) return (dataDir, urls) => startToolwright(dataDir, urls, variant);
  const installed = installPeer(variant.peer);
  return (_, [url]) => startPeer(variant.peer, installed, url);
}

/** Returns why a variant cannot run here. Throws any other error. */
function missing(error, { peer }) {
  if (peer !== undefined && error.message.includes('did not start')) return `${peer.title} did not start`;
  if (error.message.includes('SANDBOX_UNAVAILABLE')) return 'this machine lacks the sandbox';
  throw error;
}

async function main() {
  const variants = values.peers
    ? peerVariants(values.variant)
    : chosenVariants(values.variant, { quick: values.quick });
  const end = Date.now() + Number(values.minutes ?? Number.POSITIVE_INFINITY) * MINUTE_MS;
  const isOver = () => Date.now() >= end;
  const root = mkdtempSync(join(tmpdir(), 'toolwright-proof-'));
  try {
    const sets = [];
    for (const source of chosenSources(values.set)) sets.push(await runSet(source, root, { variants, isOver }));
    printReport(sets);
    if (values.picture !== undefined) writeFileSync(values.picture, pictureOf(sets));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

if (values.folder === undefined) console.log(cloneCommands('FOLDER').join('\n'));
else await main();
