// Processor time of this process and of all its living descendants.
import { readdirSync, readFileSync } from 'node:fs';

/** Hundredths of a second, on all platforms of Node. */
const TICK_US = 10_000;

/** Returns microseconds. */
export function processorUs() {
  const { user, system } = process.cpuUsage();
  return user + system + descendantTicks() * TICK_US;
}

function descendantTicks() {
  const children = new Map();
  const ticks = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      children.set(fields[1], [...(children.get(fields[1]) ?? []), name]);
      ticks.set(name, Number(fields[11]) + Number(fields[12]));
    } catch {
      // The process has ended.
    }
  }
  const sum = (pid) => (children.get(pid) ?? []).reduce((total, child) => total + ticks.get(child) + sum(child), 0);
  return sum(String(process.pid));
}
