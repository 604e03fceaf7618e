// The own tasks: the 51 of the token benchmark, with its servers.
import { openPadding } from '../tokens/padding.mjs';
import { openSetup } from '../tokens/setup.mjs';
import { makeSeed, readState, resetState } from '../tokens/state.mjs';
import { STRATA } from '../tokens/tasks/strata.mjs';
import { gradeOf } from './grade.mjs';

const SMALLEST = 36;
const SERVERS = ['filesystem', 'memory', 'everything', 'crm', 'tickets', 'calendar'];

/** Opens the tasks with a catalog of `size` tools. `folder` has the state of the servers. */
export async function openOwn({ folder, size }) {
  const seed = makeSeed();
  resetState(folder, seed);
  const setup = await openSetup(folder, size, openPadding(SERVERS), SMALLEST);
  const jobOf = (stratum, task) => ({
    stratum,
    task,
    begin: () => resetState(folder, seed),
    problemOf: (answer) => gradeOf(task, seed, { answer, state: readState(folder) }),
  });
  const jobs = Object.entries(STRATA).flatMap(([stratum, all]) => all.map((task) => jobOf(stratum, task)));
  return { setup, jobs, close: setup.close };
}
