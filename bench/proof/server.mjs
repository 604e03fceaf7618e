// Starts the server of one benchmark, and controls it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('sets/server.py', import.meta.url));
const TRIES = 1_200;
const PAUSE_MS = 50;

/**
 * Starts the tools of a set. `checkout` is the folder of the benchmark, `state` a file for restarts.
 * @returns the URL for MCP, and functions that control the tasks.
 */
export async function startTools({ set, checkout, venv, state }) {
  const python = existsSync(join(venv, 'bin/python')) ? join(venv, 'bin/python') : 'python3';
  const child = spawn(python, [PROGRAM, set, checkout], {
    // It ends when its input does.
    stdio: ['pipe', 'pipe', 'pipe'],
    // AgentDojo makes lists of sets: their order depends on the seed of hashes.
    env: { ...process.env, PROOF_STATE: state, PYTHONDONTWRITEBYTECODE: '1', PYTHONHASHSEED: '0' },
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors = `${errors}${text}`.slice(-2_000);
  });
  const ended = once(child, 'exit').then(() => {
    const reason = errors.trim().split('\n').at(-1);
    throw Object.assign(new Error(`the tools of ${set} ended: ${reason}`), { code: 'NO_TOOLS' });
  });
  ended.catch(() => {});
  const [line] = await Promise.race([once(child.stdout, 'data'), ended]);
  const url = `http://127.0.0.1:${Number(line)}`;
  const control = async (request) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await fetch(`${url}/control`, { method: 'POST', body: JSON.stringify(request) });
        return await response.json();
      } catch (error) {
        // It may be starting again at this moment.
        if (attempt === TRIES || child.exitCode !== null)
          throw new Error(`The tools of ${set} do not answer: ${errors}`, { cause: error });
        await sleep(PAUSE_MS);
      }
    }
  };
  return {
    url: `${url}/mcp`,
    list: () => control({ do: 'list' }),
    begin: (task, fault) => control({ do: 'begin', task, ...(fault ? { fault } : {}) }),
    reached: async (seconds) => (await control({ do: 'reached', seconds })).reached,
    end: () => control({ do: 'end' }),
    close: () => child.kill('SIGKILL'),
  };
}
