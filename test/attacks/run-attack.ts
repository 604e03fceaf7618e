import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FinishedRun } from '../../packages/conformance/src/sandbox/case.ts';
import { openFixture } from '../../packages/conformance/src/sandbox/fixture.ts';
import type { Language } from '../../packages/sandbox/src/languages/language.ts';
import { pythonLanguage } from '../../packages/sandbox/src/languages/python.ts';
import { typescriptLanguage } from '../../packages/sandbox/src/languages/typescript.ts';
import type { Sandbox } from '../../packages/sandbox/src/sandboxes/sandbox.ts';
import { processesNamed } from '../fixtures/processes.ts';
import type { NamedAttack } from './attack.ts';
import { ATTACKER, type Canaries, plantCanaries } from './canaries.ts';
import { judge, readHostState } from './evaluate.ts';

/** How long an attack may block the host, and how much the host's memory may grow. */
export interface HostBounds {
  readonly delayMs: number;
  readonly growthBytes: number;
}

/** Harmless programs of a language. */
interface Dialect {
  readonly language: Language;
  readonly echo: (value: string) => string;
  /** Uses a tool and returns 'clean'. */
  readonly clean: string;
}

/** For the attacker. Harmless programs have more time: the machine may be busy with other attacks. */
const TIMEOUT_MS = 2_000;
const HARMLESS = { limits: { timeoutMs: 120_000 } };
const SAMPLE_MS = 20;
/** Less than the processes of the attacks live by themselves. */
const GONE_WITHIN_MS = 3_000;
const BYSTANDER = 'bystander';

const DIALECTS: Readonly<Record<Language['name'], Dialect>> = {
  typescript: {
    language: typescriptLanguage(),
    echo: (value) => `await callMCPTool('tools__echo', { value: '${value}' })`,
    clean: `return (await callMCPTool('tools__add', { a: 1, b: 2 })).sum === 3 ? 'clean' : 'broken'`,
  },
  python: {
    language: pythonLanguage(),
    echo: (value) => `await call_mcp_tool('tools__echo', {'value': '${value}'})`,
    clean: `'clean' if (await call_mcp_tool('tools__add', {'a': 1, 'b': 2}))['sum'] == 3 else 'broken'`,
  },
};

/** Runs one attack on a sandbox in a new environment. Returns every violation. */
export async function runAttack(
  sandbox: Sandbox,
  attack: NamedAttack,
  bounds: HostBounds,
  memoryBytes: number,
): Promise<string[]> {
  const { language, echo, clean } = DIALECTS[attack.language];
  const canaries = await plantCanaries();
  try {
    const limits = { timeoutMs: TIMEOUT_MS, memoryBytes };
    await using fixture = openFixture({ sandbox, language, dataDir: canaries.dataDir, limits, isReplayed: false });
    await fixture.execute(echo(canaries.secrets.get('closure') ?? ''), {
      ...HARMLESS,
      sessionId: 'victim',
      tenant: 'victim',
    });
    await attack.prepare?.(canaries);
    const before = await readHostState(canaries);
    const earlier = fixture.received.length;
    const watch = watchHost();
    const source = attack.program ?? attack.makeProgram?.(canaries) ?? '';
    const settings = { sessionId: ATTACKER, tenant: ATTACKER, ...(attack.limits ? { limits: attack.limits } : {}) };
    const run = await fixture.execute(source, settings);
    await sleep(attack.lingerMs ?? 0);
    const { delayMs, growthBytes } = await watch.end();
    const evidence = { run, received: fixture.received.slice(earlier), before, after: await readHostState(canaries) };

    const violations = await judge(canaries, evidence);
    const own = attack.judge?.(run, canaries);
    if (own !== undefined) violations.push(own);
    if (delayMs > bounds.delayMs) violations.push(`the host did not answer for ${Math.round(delayMs)} ms`);
    if (growthBytes > bounds.growthBytes) violations.push(`the host grew by ${Math.round(growthBytes / 1e6)} MB`);
    // A violation needs no further check, and the next programs take time.
    if (violations.length > 0) return violations;
    const seen = async (tenant: string) => {
      const next = attack.nextOf === BYSTANDER && tenant === ATTACKER ? clean : (attack.next ?? clean);
      const result = await served(() => fixture.execute(next, { ...HARMLESS, sessionId: tenant, tenant }));
      const value = result.status === 'completed' ? result.value : JSON.stringify(result);
      if (value !== 'clean') violations.push(`the next execution of the ${tenant} gave ${value}`);
    };
    await Promise.all([seen(ATTACKER), seen(BYSTANDER)]);
    if (fixture.received.some(({ late }) => late)) violations.push('a call was sent after the end');
    if (!(await areGone(canaries))) violations.push('a process of the attacker lives on');
    return violations;
  } finally {
    await canaries.remove();
  }
}

/** Runs a harmless program until it is served: texts of other attacks by the same user may fill the language service. */
async function served(run: () => Promise<FinishedRun>): Promise<FinishedRun['result']> {
  for (;;) {
    const { result } = await run();
    if (result.status !== 'failed' || result.error.code !== 'LANGUAGE_SERVICE_BUSY') return result;
  }
}

/** Returns whether all killed processes have ended, which may take a moment. */
async function areGone({ processName }: Canaries): Promise<boolean> {
  for (let waited = 0; processesNamed(processName).length > 0; waited += SAMPLE_MS) {
    if (waited > GONE_WITHIN_MS) return false;
    await sleep(SAMPLE_MS);
  }
  return true;
}

function watchHost() {
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  const start = process.memoryUsage.rss();
  let peak = start;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, SAMPLE_MS);
  delay.enable();
  return {
    async end() {
      // A block of the event loop until now is measured only in the next turn.
      await sleep(SAMPLE_MS * 2);
      clearInterval(sampler);
      delay.disable();
      return { delayMs: delay.max / 1e6, growthBytes: Math.max(peak, process.memoryUsage.rss()) - start };
    },
  };
}
