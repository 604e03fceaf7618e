import { join } from 'node:path';
import type { Output } from '@toolwright/core/command';
import { claudeCode } from '../../clients/claude.ts';
import { withToolwright } from '../lifetime.ts';
import { editConfiguration } from '../project/edit-configuration.ts';
import { redactedFor } from '../redacted.ts';
import { serverProblem } from '../server-problem.ts';
import type { ServersContext } from './context.ts';
import { readText } from './files.ts';
import { findClientFiles, merge } from './find.ts';

/** Maximum wait for slow servers in milliseconds. The first start may install a package. */
const CHECK_WAIT_MS = 60_000;

/** Connects servers of a configuration file. Resolves to the problem of each that does not work, by name. */
export async function checkServers(
  file: string,
  names: readonly string[],
  output: Output,
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  if (names.length === 0) return problems;
  await withToolwright({ config: file }, async (toolwright) => {
    const servers = await toolwright.servers({ profile: '*', load: true, waitMs: CHECK_WAIT_MS });
    const failed = servers.filter(({ name, status }) => names.includes(name) && status.state !== 'ready');
    const found = failed.map((server) => ({ name: server.name, problem: serverProblem(server, CHECK_WAIT_MS) }));
    for (const { name, problem } of await redactedFor(found, toolwright, output, false)) problems.set(name, problem);
    return 0;
  });
  return problems;
}

/**
 * Copies the servers of `.mcp.json` into a new configuration file next to it. Toolwright reads that file of Claude Code while there is
 * no other, and a new file would hide its servers.
 */
export async function copyProjectServers({ machine, file, output }: ServersContext): Promise<void> {
  if ((await readText(file)) !== '') return;
  const project = join(machine.cwd, '.mcp.json');
  const { files } = await findClientFiles(machine, [{ ...claudeCode, files: () => [project] }]);
  const { text, added } = merge(file, '', files);
  if (added.length === 0) return;
  await editConfiguration(file, () => text, machine);
  const names = added.map(({ server }) => server.name).join(', ');
  output.err(`Copied ${names} from ${project} to ${file}: Toolwright does not change the file of Claude Code.`);
}
