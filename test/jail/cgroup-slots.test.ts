import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type CgroupSlots, createCgroupSlots } from '../../packages/sandbox/src/sandboxes/jail/cgroup/cgroup-slots.ts';
import { type JailGuest, javascriptGuest } from '../../packages/sandbox/src/sandboxes/jail/guest.ts';
import { probeJail } from '../../packages/sandbox/src/sandboxes/jail.ts';
import { type Child, childrenOf, commandLine } from '../fixtures/processes.ts';
import { finish, needsJail } from './raw.ts';

const javascript = await probeJail('javascript');
const MEMORY_BYTES = 64 * 1024 * 1024;
const SOON = { timeout: 10_000, interval: 20 };
let slots: CgroupSlots | undefined;

afterEach(() => slots?.close());

/** Returns a guest that prints its own limits, and ends. */
async function limitsGuest(): Promise<JailGuest> {
  const guest = await javascriptGuest();
  const [node = ''] = guest.command(0);
  const code = `require('fs').writeSync(3, /Max data size +(\\d+)/.exec(require('fs').readFileSync('/proc/self/limits'))[1])`;
  return { ...guest, command: (memoryBytes) => [node, `--max-old-space-size=${memoryBytes / 1024 ** 2}`, '-e', code] };
}

/** Returns processes of this process that wait to become jails. */
function waiting(): Child[] {
  return childrenOf(process.pid).filter(({ pid }) => commandLine(pid).includes('eval "exec $line"'));
}

needsJail(javascript).describe('slots of jails', () => {
  it('are used by the next guest, with its own limits', async () => {
    const guest = await limitsGuest();
    slots = createCgroupSlots();
    const first = await finish(slots.launch(guest, MEMORY_BYTES));
    await expect.poll(waiting, SOON).toHaveLength(1);
    const [slot] = waiting();
    const second = slots.launch(guest, 2 * MEMORY_BYTES);
    expect(waiting().map(({ pid }) => pid)).toEqual([slot?.pid]);
    const { output } = await finish(second);
    expect(commandLine(slot?.pid ?? 0)).toBe('');
    expect(Number(output) - Number(first.output)).toBe(MEMORY_BYTES);
  });

  it('are replaced when they were killed', async () => {
    const guest = await limitsGuest();
    slots = createCgroupSlots();
    await finish(slots.launch(guest, MEMORY_BYTES));
    await expect.poll(waiting, SOON).toHaveLength(1);
    for (const { pid } of waiting()) process.kill(pid, 'SIGKILL');
    await expect.poll(waiting, SOON).toHaveLength(0);
    await sleep(50);
    expect(Number((await finish(slots.launch(guest, MEMORY_BYTES))).output)).toBeGreaterThan(MEMORY_BYTES);
  });

  it('end when they are closed', async () => {
    slots = createCgroupSlots();
    await finish(slots.launch(await limitsGuest(), MEMORY_BYTES));
    await expect.poll(waiting, SOON).toHaveLength(1);
    await slots.close();
    expect(waiting()).toEqual([]);
  });
});
