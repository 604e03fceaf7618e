// A process that serves others: it prepares the programs that it receives, and measures how long each turn of its event loop takes.
import { pythonLanguage, typescriptLanguage } from '../../packages/sandbox/src/index.ts';
import { typescriptChecker } from '../../packages/sandbox/src/internal.ts';
import type { FuzzProgram } from './programs.ts';

export interface FuzzRequest extends FuzzProgram {
  readonly id: number;
}

/** The codes of the errors of all operations, and the longest turn so far. */
export interface FuzzReply {
  readonly id: number;
  readonly codes: readonly string[];
  /** Milliseconds of CPU time in one turn: waiting for a busy machine does not count. */
  readonly longestTurnMs: number;
}

const TICK_MS = 5;
const CHECK_EVERY = 20;
const TENANTS = 3;
const languages = { typescript: typescriptLanguage(), python: pythonLanguage() };
const checker = typescriptChecker();
const noTypes = {
  server: async () => 'missing' as const,
  file: async () => 'missing' as const,
  tools: async () => ({ declarations: '', unknown: [] }),
};

let longestTurnMs = 0;
let last = performance.now();
let cpu = process.cpuUsage();
setInterval(() => {
  const now = performance.now();
  const used = process.cpuUsage(cpu);
  const busyMs = Math.min(now - last, (used.user + used.system) / 1_000);
  longestTurnMs = Math.max(longestTurnMs, busyMs);
  last = now;
  cpu = process.cpuUsage();
}, TICK_MS);

async function codesOf({ language: name, text, id }: FuzzRequest): Promise<string[]> {
  const language = languages[name].forTenant(String(id % TENANTS));
  const position = async () => (await language.prepare(text)).position(2, 1);
  const works: (() => Promise<unknown>)[] = [
    position,
    () => language.prepareModule(text, '/workspace/m.ts'),
    () => language.functions(text),
    () => language.moduleOf(text, { description: 'x', parameters: {} }),
    ...(id % CHECK_EVERY === 0 && name === 'typescript' ? [() => checker.check(text, noTypes)] : []),
  ];
  return Promise.all(
    works.map((work) =>
      work().then(
        () => 'ok',
        (error: { code?: string; message: string }) => error.code ?? error.message,
      ),
    ),
  );
}

process.on('message', async (request: FuzzRequest) => {
  const reply: FuzzReply = { id: request.id, codes: await codesOf(request), longestTurnMs };
  process.send?.(reply);
});
