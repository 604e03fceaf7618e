// Executions whose process is killed again and again, and whose questions are decided three days later.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createToolwright } from '../../packages/toolwright/dist/index.js';
import { seededRandom } from '../tokens/random.mjs';
import { CALLS, isDenied, lineOf } from './plan.mjs';

const LATER_MS = 72 * 60 * 60 * 1_000;
const MOST_RUN_MS = 2_500;
const program = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Runs executions with 20 calls each, and kills their process at random moments. Returns the number of lost executions, of effects
 * that are missing or doubled, and of calls that took effect without an approval of these arguments.
 */
export async function measureCrashes(folder, { executions = 1_000, kills = 50, seed = 1 } = {}) {
  mkdirSync(folder, { recursive: true });
  const random = seededRandom(seed);
  const ids = Array.from({ length: executions }, () => randomUUID());
  const files = Object.fromEntries(
    ['data', 'plan.json', 'effects', 'decided'].map((name) => [name, join(folder, name)]),
  );
  writeFileSync(files['plan.json'], JSON.stringify(ids));
  const started = performance.now();
  const killed = { run: Math.ceil(kills / 2), decide: Math.floor(kills / 2) };
  for (const phase of ['run', 'decide']) {
    for (let kill = 0; kill < killed[phase]; kill++) {
      const worker = await startWorker(phase, files);
      await Promise.race([sleep(random.whole(0, MOST_RUN_MS)), worker.ended]);
      worker.child.kill('SIGKILL');
      await worker.ended;
    }
    const last = await startWorker(phase, files);
    const [code] = await last.ended;
    if (code !== 0) throw new Error(`the last process of "${phase}" ended with ${code}: ${last.errors()}`);
  }
  const seconds = Math.round((performance.now() - started) / 1_000);
  return { executions, kills, seconds, ...(await balance(ids, files)) };
}

async function startWorker(phase, files) {
  const offset = phase === 'decide' ? LATER_MS : 0;
  const args = ['--import', program('clock.mjs'), program('worker.mjs'), phase];
  const child = spawn(process.execPath, [...args, files.data, files['plan.json'], files.effects, files.decided], {
    env: { ...process.env, TOOLWRIGHT_CLOCK_OFFSET_MS: `${offset}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors = `${errors}${text}`.slice(-4_000);
  });
  const ended = once(child, 'exit');
  await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  return { child, ended, errors: () => errors };
}

async function balance(ids, files) {
  const linesOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : []);
  const effects = new Map();
  for (const line of linesOf(files.effects)) effects.set(line, (effects.get(line) ?? 0) + 1);
  const approved = new Set(
    linesOf(files.decided).flatMap((line) => (line.startsWith('approve ') ? [line.slice(8)] : [])),
  );
  const expected = new Set(ids.flatMap((id) => Array.from({ length: CALLS }, (_, n) => lineOf(id, n))));
  const mayBe = (line) => !(line.endsWith(':ask') && isDenied(line));
  const toolwright = await createToolwright({ dataDir: files.data, sandbox: 'quickjs' });
  let lost = 0;
  for (const id of ids) {
    const { status, result } = await toolwright.executions.get(id).catch(() => ({}));
    const answered = Array.from({ length: CALLS }, (_, n) => lineOf(id, n)).filter(mayBe).length;
    if (status !== 'completed' || result?.value !== answered) lost++;
  }
  await toolwright.close();
  return {
    lost,
    missing: [...expected].filter((line) => mayBe(line) && !effects.has(line)).length,
    doubled: [...effects.values()].filter((count) => count > 1).length,
    otherArguments: [...effects.keys()].filter(
      (line) => !expected.has(line) || (line.endsWith(':ask') && !approved.has(line)),
    ).length,
    decisions: linesOf(files.decided).length,
  };
}
