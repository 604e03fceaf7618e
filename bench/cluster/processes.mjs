// Starts the processes of a cluster, and reads the processor time of processes from /proc.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { keepChild } from './children.mjs';

const cli = fileURLToPath(new URL('../../packages/toolwright/dist/cli.js', import.meta.url));
const toolServer = fileURLToPath(new URL('tool-server.mjs', import.meta.url));
const MS_PER_TICK = 10;
const NO_LIMITS = { requestsPerMinute: 0, concurrentExecutions: 0 };

/** Starts a program of Node. Resolves with the process and its first line. */
async function startProgram(args, options) {
  const stdio = ['ignore', 'pipe', options.stderr ?? 'inherit'];
  const child = keepChild(spawn(process.execPath, args, { ...options, stdio }));
  const line = once(createInterface({ input: child.stdout }), 'line');
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${args[0]} ended with ${code}.`)));
  const [text] = await Promise.race([line, ended]);
  ended.catch(() => undefined);
  return { child, text };
}

/** Starts the HTTP server of a tool that answers at once, and writes a configuration that uses it. Returns a function that starts processes. */
export async function openProcesses(folder, { sandbox = 'quickjs' } = {}) {
  const tools = await startProgram([toolServer], {});
  const config = {
    sandbox,
    rateLimits: { user: NO_LIMITS, key: NO_LIMITS },
    mcpServers: { tools: { url: tools.text, type: 'http' } },
  };
  const file = join(folder, 'toolwright.json');
  writeFileSync(file, JSON.stringify(config));
  const started = [tools.child];
  const master = randomBytes(32).toString('hex');
  return {
    /** Starts `toolwright serve` with a data folder of its own. */
    async serve(name, { role = 'all', env = {}, args = [] } = {}) {
      const own = join(folder, name);
      mkdirSync(own);
      const { child, text } = await startProgram(
        [cli, 'serve', '--config', file, '--role', role, '--port', '0', ...args],
        {
          cwd: folder,
          stderr: openSync(join(folder, `${name}.log`), 'a'),
          env: { ...process.env, TOOLWRIGHT_MASTER_KEY: master, TOOLWRIGHT_DATA_DIR: own, ...env },
        },
      );
      started.push(child);
      return { url: /http:\/\/[\w.:]+/.exec(text)[0], pid: child.pid };
    },
    async stop() {
      const running = started.filter((child) => child.exitCode === null && child.signalCode === null);
      await Promise.all(
        running.map((child) => {
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          return ended;
        }),
      );
    },
  };
}

function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // Of the process, and of its children that have ended.
    const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0);
    return { parent: Number(fields[1]), ms: ticks * MS_PER_TICK };
  } catch {
    return undefined;
  }
}

/** Returns the processor time of each process with its descendants, in milliseconds, by the names of `pids`. */
export function processorTimes(pids) {
  const stats = new Map();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined;
    if (stat) stats.set(Number(name), stat);
  }
  const total = (pid) => {
    const children = [...stats].filter(([, { parent }]) => parent === pid);
    return (stats.get(pid)?.ms ?? 0) + children.reduce((sum, [child]) => sum + total(child), 0);
  };
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, total(pid)]));
}

/** Returns the differences of two readings of `processorTimes`. */
export function timesBetween(before, after) {
  return Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - before[name]]));
}
