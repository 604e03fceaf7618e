// Runs a part of a benchmark in a process of its own, which a peer may block or end.
import { spawnSync } from 'node:child_process';

/** Returns the last line of its output that is a JSON object; undefined without one. `signal` is set for a process that was ended. */
export function runApart(node, args, limitMs) {
  const options = { encoding: 'utf8', timeout: limitMs, maxBuffer: 1e9, killSignal: 'SIGKILL' };
  const { stdout, stderr, signal } = spawnSync(node, args, options);
  const line = stdout.split('\n').findLast((text) => text.startsWith('{'));
  return { answer: line && JSON.parse(line), stderr, signal };
}
