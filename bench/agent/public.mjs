// The tasks of a set of the proof that has prompts: tau2-bench. No user is simulated: the model reads the policy and the facts of the user.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createToolwright } from 'toolwright';
import { connectDirectly } from '../proof/direct.mjs';
import { writeProgram } from '../proof/programs.mjs';
import { startTools } from '../proof/server.mjs';
import { chosenSources, openCheckout } from '../proof/sources.mjs';
import { agents, shownDefinition } from '../tokens/agent.mjs';
import { missingFact } from './grade.mjs';

/**
 * Opens the tasks of a set. `checkouts` is the folder of the proof, `folder` an own one.
 * @throws Error without a checkout at the commit of the proof
 */
export async function openPublic({ set, checkouts, folder }) {
  const [source] = chosenSources([set]);
  const { problem } = openCheckout(source, checkouts);
  if (problem) throw new Error(`${source.title}: ${problem}`);
  const paths = { checkout: join(checkouts, source.folder), venv: join(checkouts, 'venv') };
  const tools = await startTools({ set, ...paths, state: join(folder, 'state') });
  const { tools: definitions, tasks } = await tools.list();
  const direct = await connectDirectly(tools.url);
  const toolwright = await createToolwright({
    mcpServers: { [set]: { url: tools.url } },
    dataDir: join(folder, 'data'),
  });
  const [full, core] = [await agents(toolwright, 'full').connect(), await agents(toolwright, 'core').connect()];
  const setup = {
    size: definitions.length,
    sandbox: (await toolwright.sandbox()).name,
    clients: { call: (id, args) => direct.call(id.slice(`${set}__`.length), args) },
    agent: { full, core },
    definitions: definitions.map(({ name, ...rest }) => shownDefinition({ ...rest, name: `${set}__${name}` })),
  };
  const usable = tasks.filter((task) => task.actions && task.prompt);
  for (const { id } of tasks.filter((task) => !usable.includes(task)))
    console.error(`${set}: ${id} has no prompt or no gold calls`);
  return {
    setup,
    jobs: usable.map((task) => jobOf(set, task, tools, direct)),
    async close() {
      await Promise.all([direct.close(), full.close(), core.close()]);
      await toolwright.close();
      tools.close();
    },
  };
}

function jobOf(set, { id, prompt, actions, facts = [] }, tools, direct) {
  let gold;
  return {
    stratum: set,
    task: scriptable(set, { id, prompt, facts }, () => gold.log),
    async begin() {
      await tools.begin(id);
      await direct.run(actions);
      gold = await tools.end();
      await tools.begin(id);
    },
    async problemOf(answer) {
      const { state } = await tools.end();
      return (
        missingFact(answer, facts) ?? (isDeepStrictEqual(state, gold.state) ? undefined : 'the end state is wrong')
      );
    },
  };
}

/** Returns a task as a script plays it. `log` returns the gold calls. */
function scriptable(set, { id, prompt, facts }, log) {
  return {
    id,
    prompt,
    search: [{ query: id }],
    *direct() {
      for (const { name, arguments: args } of log()) yield [[`${set}__${name}`, args]];
    },
    *programs() {
      yield writeProgram(set, log(), 'typescript').code;
    },
    formatAnswer: () => facts.join(' '),
  };
}
