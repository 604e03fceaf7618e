import type { ServerSummary, Toolwright } from '@toolwright/core';
import { EXIT } from '@toolwright/core/command';
import { readServerEntries } from '@toolwright/core/config';
import { isRecord } from '../../clients/entry.ts';
import { redactedFor } from '../redacted.ts';
import { serverProblem } from '../server-problem.ts';
import { nestingProblem, proxyOfEntry, proxyOfTools } from './code-mode.ts';
import type { ServersContext } from './context.ts';
import { readText } from './files.ts';

/** Maximum wait for slow servers in milliseconds. A person can wait longer than a model. */
const LIST_WAIT_MS = 30_000;

/** Lists the servers of the configuration with their state. */
export async function listServers(
  { file, output }: ServersContext,
  toolwright: Toolwright,
  json: boolean,
): Promise<number> {
  const listed = await toolwright.servers({ profile: '*', load: true, waitMs: LIST_WAIT_MS });
  const tools = await toolwright.tools({ profile: '*' });
  const logins = new Map((await toolwright.logins.list()).map(({ server, state }) => [server, state]));
  const entries = readServerEntries(file, (await readText(file)) || '{}');
  const servers = listed.map((summary) => {
    const names = tools.filter(({ server }) => server === summary.name).map(({ definition }) => definition.name);
    const login = logins.get(summary.name) ?? 'none';
    return {
      ...viewOf(summary),
      login: login === 'none' ? undefined : login,
      ...warningOf(summary.name, entries.get(summary.name), names),
    };
  });
  const shown = await redactedFor(servers, toolwright, output, json);
  const disabled = [...entries.keys()].filter((name) => !listed.some((server) => server.name === name));
  if (json) output.out(JSON.stringify({ file, servers: shown, disabled }));
  else {
    for (const { name, state, toolCount, problem, warning, login } of shown) {
      const loggedIn = login === undefined ? '' : login === 'expired' ? ', login expired' : ', logged in';
      output.out(`${name}  ${state === 'ready' ? `ready, ${toolCount} tools${loggedIn}` : `${state}: ${problem}`}`);
      if (warning !== undefined) output.out(`  ${warning}`);
    }
    for (const name of disabled) output.out(`${name}  disabled`);
  }
  if (shown.length + disabled.length === 0)
    output.err(`${file} has no servers. Run "toolwright servers import", or "toolwright servers add NAME -- COMMAND".`);
  return shown.every(({ state }) => state === 'ready') ? EXIT.completed : EXIT.defect;
}

function viewOf(summary: ServerSummary) {
  const { name, status, toolCount } = summary;
  const problem = status.state === 'ready' ? {} : { problem: serverProblem(summary, LIST_WAIT_MS) };
  const { state, starts, nextProbeAt } = status;
  return { name, state, toolCount, starts, ...problem, nextProbeAt };
}

function warningOf(name: string, entry: unknown, tools: readonly string[]): { readonly warning?: string } {
  const byTools = proxyOfTools(tools);
  const proxy = (isRecord(entry) ? proxyOfEntry(entry) : undefined) ?? (byTools && `it has the tools ${byTools}`);
  return proxy === undefined ? {} : { warning: `${nestingProblem(name, proxy)}.` };
}
