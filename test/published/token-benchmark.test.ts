import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Seed {
  readonly files: Record<string, string>;
}
interface Task {
  readonly id: string;
  formatAnswer(value: unknown): string;
  expected(seed: Seed): unknown;
  after?(seed: Seed): void;
  readonly indirect?: boolean;
  readonly search: readonly { readonly query: string; readonly finds: readonly string[] }[];
}
interface Row {
  readonly task: string;
  readonly arm: string;
  readonly cost: number;
}
interface Shown {
  readonly definitions: number;
  readonly instructions: number;
}
interface Setup {
  readonly full: Shown;
  readonly core: Shown;
  readonly beside: number;
}
interface Outcome {
  readonly answer: string;
  readonly state: Seed;
}

/** The benchmark is plain JavaScript without types. */
const part = (name: string) => import(new URL(`../../bench/tokens/${name}.mjs`, import.meta.url).href);
const { STRATA }: { STRATA: Record<string, Task[]> } = await part('tasks/strata');
const { makeSeed }: { makeSeed(): Seed } = await part('state');
const { problemOf }: { problemOf(task: Task, seed: Seed, outcome: Outcome): string | undefined } = await part('check');
const { generateCatalog }: { generateCatalog(count: number): unknown[] } = await part('generated');
const { runAll }: { runAll(options: object): Promise<{ rows: Row[]; setups: Setup[] }> } = await part('run');
const { goals, totals }: { goals(rows: Row[], setups: object[]): object[]; totals(rows: Row[], key: string): object } =
  await part('report');
const { tablesOf }: { tablesOf(report: object): string } = await part('tables');
const page = readFileSync(new URL('../../docs/token-benchmark.md', import.meta.url), 'utf8');

const seed = makeSeed();
const tasks = Object.values(STRATA).flat();

function right(task: Task): Outcome {
  const state = structuredClone(seed);
  task.after?.(state);
  return { answer: task.formatAnswer(task.expected(structuredClone(seed))), state };
}

describe('the checker of the token benchmark', () => {
  it.each(tasks.map((task) => [task.id, task] as const))(
    '%s: accepts the correct outcome and no other',
    (_id, task) => {
      const good = right(task);
      expect(problemOf(task, seed, good)).toBeUndefined();
      expect(problemOf(task, seed, { ...good, answer: `${good.answer}1` })).toMatch(/^the answer is/);
      const touched = { ...good.state, files: { ...good.state.files, 'notes/office.txt': 'gone' } };
      expect(problemOf(task, seed, { ...good, state: touched })).toBe('the end state is wrong in: files');
      if (task.after) expect(problemOf(task, seed, { ...good, state: seed })).toMatch(/^the end state is wrong in/);
    },
  );
});

it('the token benchmark has 51 tasks, spread over seven strata', () => {
  expect(Object.values(STRATA).map(({ length }) => length)).toEqual([7, 7, 7, 7, 7, 8, 8]);
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(51);
});

it('the README quotes the saving of the page, and the page of the MCP server its measured definitions', () => {
  const [, saving] = /^\| all \|(?:[^|]+\|){4} −([\d.]+) % \|/m.exec(page) ?? [];
  expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).toContain(`it costs ${saving} % less`);
  const server = readFileSync(new URL('../../docs/mcp-server.md', import.meta.url), 'utf8');
  const most = (profile: string) =>
    new RegExp(
      `^\\| tokens of definitions and instructions, profile ${profile}: at most \\| \\d+ \\| (\\d+) \\|`,
      'm',
    ).exec(page)?.[1];
  expect(server).toContain(`at most ${most('full')} tokens, those of \`core\` ${most('core')}`);
});

it('the queries of ten tasks have no word of the names of their tools', () => {
  const wordsOf = (text: string) => text.toLowerCase().match(/[a-z]{3,}/g) ?? [];
  const stem = (word: string) => word.replace(/(?:ies|es|s|e)$/, '');
  const indirect = tasks.filter((task) => task.indirect);
  expect(indirect).toHaveLength(10);
  for (const { query, finds } of indirect.flatMap(({ search }) => search)) {
    const names = new Set(finds.flatMap((id) => wordsOf(id.replace(/^.*__/, '').replaceAll('_', ' '))).map(stem));
    expect([query, wordsOf(query).filter((word) => names.has(stem(word)))]).toEqual([query, []]);
  }
});

/** One task with much data, and one of a single call. All tasks in all sizes: `npm run bench:tokens`. */
const SMOKE: ReadonlySet<string> = new Set(['log-errors', 'door-code']);
/** The arms that are compared. Each starts all servers. */
const SMOKE_ARMS = ['S', 'C-full', 'C-core', 'C+err'];

it('two tasks have the correct outcome in four arms, and code saves tokens with much data', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwright-tokens-test-'));
  const chosen = Object.entries(STRATA).map(([name, all]) => [name, all.filter(({ id }) => SMOKE.has(id))] as const);
  const strata = Object.fromEntries(chosen.filter(([, all]) => all.length > 0));
  const padding = { source: 'generated', servers: generateCatalog(20) };
  try {
    const { rows, setups } = await runAll({ folder, seed, sizes: [36], strata, padding, arms: SMOKE_ARMS });
    expect(rows).toHaveLength(2 * SMOKE_ARMS.length);
    const cost = (task: string, arm: string) => rows.find((row) => row.task === task && row.arm === arm)?.cost ?? 0;
    expect(cost('log-errors', 'C-full')).toBeLessThan(cost('log-errors', 'S') / 5);
    expect(cost('door-code', 'C-core')).toBeGreaterThan(0);
    expect(cost('door-code', 'C-core')).toBeLessThan(cost('door-code', 'C-full'));
    expect(cost('door-code', 'C+err')).toBeGreaterThan(cost('door-code', 'C-core'));
    const [setup] = setups;
    const whole = ({ definitions, instructions }: Shown) => definitions + instructions;
    // The names of all tools come on top of the full profile: at most 200 tokens.
    const limits = setup && [whole(setup.full) <= 750, whole(setup.core) <= 250, setup.beside];
    expect(limits).toEqual([true, true, 0]);
    const tables = tablesOf({
      padding: '',
      sandbox: '',
      seconds: 0,
      goals: goals(rows, setups),
      setups,
      costs: totals(rows, 'cost'),
      warm: totals(rows, 'warmCost'),
      points: [],
      breakEvenTokens: 0,
      rows,
    });
    // The page has the tables of the last whole run, with more sizes.
    expect(headsOf(page)).toEqual(headsOf(tables));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Returns the headings and column names of the tables of a run, each once, without the number of tools. */
function headsOf(text: string): string[] {
  const tables = text.replace(/^[\s\S]*<!-- tokens:start -->|<!-- tokens:end -->[\s\S]*$/g, '');
  const lines = tables.replaceAll(/\d+ tools/g, 'N tools').split('\n');
  const heads = lines.filter((line, index) => line.startsWith('### ') || /^\| ---/.test(lines[index + 1] ?? ''));
  return [...new Set(heads)];
}
