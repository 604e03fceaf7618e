// The recorded conversations of tau-bench: a model with the tools of an airline, and a simulated user. The model does not search.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stepsOf } from './steps.mjs';

const READER = fileURLToPath(new URL('definitions.py', import.meta.url));
const SERVER = 'airline';

/** Returns the catalog and the trajectories. `system` of a trajectory is the policy of the airline. */
export function readTau(checkout) {
  const tools = execFileSync('python3', [READER, join(checkout, 'tau_bench/envs/airline/tools')], { encoding: 'utf8' });
  const catalog = JSON.parse(tools).map(({ name, description, parameters: inputSchema }) => ({
    ...{ server: SERVER, name, description, inputSchema },
  }));
  const recorded = JSON.parse(readFileSync(join(checkout, 'historical_trajectories/gpt-4o-airline.json'), 'utf8'));
  const trajectories = recorded.map(({ task_id: task, trial, traj: [policy, ...messages] }) => ({
    id: `${task}-${trial}`,
    system: policy.content,
    steps: stepsOf(messages, catalog, {
      entryOf: (name, args) => ({ server: SERVER, name, arguments: args }),
      resultOf: (text) => ({ text, isError: text.startsWith('Error') }),
    }),
  }));
  return { catalog, trajectories };
}
