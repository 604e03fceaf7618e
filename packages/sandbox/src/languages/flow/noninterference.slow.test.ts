import { expect, test } from 'vitest';
import { TypescriptWriter } from '../../../../../test/fixtures/random-typescript.ts';
import { typescriptFlow } from './typescript-flow.ts';

/** Fixed, so that a failure can be repeated. Another one: TOOLWRIGHT_FUZZ_SEED. */
const SEED = Number(process.env.TOOLWRIGHT_FUZZ_SEED ?? 4_200);
const PROGRAMS = Number(process.env.TOOLWRIGHT_FUZZ_PROGRAMS ?? 3_000);
const PAGES = [
  { t: 'a', n: 0, l: ['a'], b: false },
  { t: 'ccc', n: 3, l: ['x', 'y'], b: true },
  { t: 'b', n: 1, l: ['b', 'a'], b: true },
];
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
type Sent = readonly unknown[];
type Run = (call: (tool: string, args: { readonly to?: unknown }) => Promise<unknown>) => Promise<unknown>;

/** Runs a program of the writer, which has no endless loop. Returns the addresses of its mails, as far as it came. */
async function run(program: Run, page: unknown, crm: unknown): Promise<Sent> {
  const sent: unknown[] = [];
  await program(async (tool, args) => {
    if (tool === 'mail__send') sent.push(JSON.stringify(args.to));
    return structuredClone({ web__fetch: page, crm__get: crm }[tool]);
  }).catch(() => undefined);
  return sent;
}

/** Returns whether the same mail of two runs has another address. */
function differs(runs: readonly Sent[]): boolean {
  return runs.some((one) => runs.some((other) => one.some((to, at) => at < other.length && other[at] !== to)));
}

test(`misses no data that changes an argument in ${PROGRAMS} random programs (seed ${SEED})`, async () => {
  const writer = new TypescriptWriter(SEED);
  const counts = { sends: 0, reached: 0, proven: 0, open: 0 };
  const missed: string[] = [];
  for (let index = 0; index < PROGRAMS; index++) {
    const source = writer.program();
    const program: Run = new AsyncFunction('callMCPTool', source);
    const byCrm = await Promise.all(PAGES.map((crm) => Promise.all(PAGES.map((page) => run(program, page, crm)))));
    const byPage = PAGES.map((_, at) => byCrm.map((runs) => runs[at] ?? []));
    if (byCrm.flat().some((sent) => sent.length > 0)) counts.sends++;
    const flow = typescriptFlow(source);
    const leaves = flow?.filter(({ tool }) => tool === 'mail__send').flatMap((site) => site.leaves) ?? [];
    const from = new Set(leaves.flatMap(([, leaf]) => leaf.from));
    const isOpen = flow === undefined || flow.some(({ tool }) => tool === undefined) || from.has('?');
    if (isOpen) counts.open++;
    for (const [tool, runs] of [['web__fetch', byCrm] as const, ['crm__get', byPage] as const]) {
      const isReached = runs.some(differs);
      if (isReached) counts.reached++;
      if (!isOpen && !from.has(tool)) counts.proven++;
      if (isReached && !isOpen && !from.has(tool)) missed.push(`${tool}\n${source}`);
    }
  }
  expect(missed.slice(0, 3)).toEqual([]);
  // The comparison means something only if many programs run, and have data in an argument, and others have none.
  expect(counts.sends).toBeGreaterThan(PROGRAMS * 0.7);
  expect(counts.reached).toBeGreaterThan(PROGRAMS * 0.2);
  expect(counts.proven).toBeGreaterThan(PROGRAMS * 0.05);
}, 600_000);
