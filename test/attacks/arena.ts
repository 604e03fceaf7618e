import { monitorEventLoopDelay } from 'node:perf_hooks';
import { typescriptLanguage } from '../../src/languages/typescript.ts';
import { openFixture } from '../../src/sandboxes/conformance/fixture.ts';
import type { Sandbox } from '../../src/sandboxes/sandbox.ts';
import type { NamedAttack } from './attack.ts';
import { judge, readHostState } from './judge.ts';
import { ATTACKER, plant } from './plants.ts';

/** How long the host may not answer, and how much it may grow, while it is attacked. */
export interface HostBounds {
  readonly delayMs: number;
  readonly growthBytes: number;
}

const LIMITS = { timeoutMs: 2_000, memoryBytes: 64 * 1024 * 1024 };
const SAMPLE_MS = 20;
const language = typescriptLanguage();

/** Runs one attack on a sandbox, among fresh plants, and gives every violation. */
export async function runAttack(sandbox: Sandbox, attack: NamedAttack, bounds: HostBounds): Promise<string[]> {
  const plants = await plant();
  try {
    const fixture = openFixture({ sandbox, language, dataDir: plants.dataDir, limits: LIMITS });
    const secret = JSON.stringify(plants.secrets.get('closure'));
    await fixture.execute(`await callMCPTool('tools__echo', { value: ${secret} })`, {
      session: 'victim',
      tenant: 'victim',
    });
    await attack.prepare?.(plants);
    const before = await readHostState(plants);
    const earlier = fixture.received.length;
    const watch = watchHost();
    const source = attack.program ?? attack.makeProgram?.(plants) ?? '';
    const settings = { session: ATTACKER, tenant: ATTACKER, ...(attack.limits ? { limits: attack.limits } : {}) };
    const run = await fixture.execute(source, settings);
    const { delayMs, growthBytes } = await watch.end();
    const evidence = { run, received: fixture.received.slice(earlier), before, after: await readHostState(plants) };

    const violations = await judge(plants, evidence);
    const own = attack.judge?.(run, plants);
    if (own !== undefined) violations.push(own);
    if (fixture.received.some(({ late }) => late)) violations.push('a call was sent after the end');
    if (delayMs > bounds.delayMs) violations.push(`the host did not answer for ${Math.round(delayMs)} ms`);
    if (growthBytes > bounds.growthBytes) violations.push(`the host grew by ${Math.round(growthBytes / 1e6)} MB`);
    for (const tenant of [ATTACKER, 'bystander']) {
      const { result } = await fixture.execute(attack.next ?? "return 'clean'", { session: tenant, tenant });
      const value = result.status === 'completed' ? result.value : JSON.stringify(result);
      if (value !== 'clean' && !(attack.next && tenant === ATTACKER))
        violations.push(`the next execution gave ${value}`);
    }
    return violations;
  } finally {
    await plants.remove();
  }
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
      // A block that lasts until now shows only after the next turn.
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS * 2));
      clearInterval(sampler);
      delay.disable();
      return { delayMs: delay.max / 1e6, growthBytes: Math.max(peak, process.memoryUsage.rss()) - start };
    },
  };
}
