import { type ExecuteOptions, inProfile, type ServerSummary, type Toolwright } from '@toolwright/core';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { redactedFor } from '../redacted.ts';
import { serverProblem } from '../server-problem.ts';
import { checkTools } from './check.ts';
import { type PinsArguments, pins } from './pins.ts';

export interface ToolsArguments {
  /** Words of the query. Without words, the servers are listed. `['show', NAME]` describes one tool. `['check', FILE]` checks the tools of a program. */
  readonly words: readonly string[];
  /** Lists or accepts pins instead of a search. */
  readonly pins?: Omit<PinsArguments, 'json'>;
  readonly server?: string;
  readonly limit?: number;
  /** The language that the caller names, for `check`. Default: by the name of the file. */
  readonly given?: ExecuteOptions['language'];
  /** Language of the signatures. */
  readonly language: NonNullable<ExecuteOptions['language']>;
  readonly json: boolean;
  /** Name of the profile whose tools are shown. Default: the setting `defaultProfile`, else all tools. */
  readonly servers?: string;
}

/** Maximum wait for slow servers in milliseconds. A command line can wait longer than a model. */
const LIST_WAIT_MS = 30_000;

/** Searches the catalog, lists the servers, or shows one tool. Returns the exit code. */
export async function tools(all: Toolwright, args: ToolsArguments, output: Output): Promise<number> {
  const toolwright = args.servers === undefined ? all : inProfile(all, args.servers);
  const { words, server, limit, language, json } = args;
  if (args.pins) return pins(toolwright, { ...args.pins, json }, output, LIST_WAIT_MS);
  if (words[0] === 'show') {
    if (words.length !== 2) throw new UsageError('"tools show" requires one name: toolwright tools show server__tool');
    return show(toolwright, words[1] ?? '', args, output);
  }
  if (words[0] === 'check') {
    const [, file, more] = words;
    if (file === undefined || more !== undefined)
      throw new UsageError('"tools check" requires one file: toolwright tools check program.ts');
    return checkTools(toolwright, { file, language: args.given, json, all }, output, LIST_WAIT_MS);
  }
  const listed = await toolwright.servers({ load: true, waitMs: LIST_WAIT_MS });
  const servers = await redactedFor(listed, toolwright, output, json);
  if (words.length === 0 && server === undefined) {
    if (json) output.out(JSON.stringify({ servers }));
    for (const summary of json ? [] : servers) {
      const { name, toolCount, description, status, omittedTools = [] } = summary;
      const left = omittedTools.length === 0 ? '' : `, ${omittedTools.length} left out`;
      const state = isReady(summary)
        ? `${toolCount} tools${left}`
        : `${status.state}: ${serverProblem(summary, LIST_WAIT_MS)}`;
      output.out(`${name} (${state})${description ? `  ${description.split('\n')[0]}` : ''}`);
      for (const tool of omittedTools) output.out(`  left out ${name}__${tool.name}: ${tool.problem}`);
    }
    if (servers.length === 0)
      output.err('No servers are configured. Add mcpServers to toolwright.json, or pass --config FILE.');
    return servers.every(isReady) ? EXIT.completed : EXIT.defect;
  }
  const found = await toolwright.search(words.join(' '), {
    language,
    server,
    limit,
  });
  const answer = await redactedFor(found, toolwright, output, json);
  output.out(json ? JSON.stringify(answer) : answer.text);
  // A search answers from the servers that it could reach; without any of them, its answer would be misleading.
  const searched =
    server === undefined ? servers : servers.filter(({ name, slug }) => name === server || slug === server);
  return searched.length === 0 || searched.some(isReady) ? EXIT.completed : EXIT.defect;
}

function isReady({ status }: ServerSummary): boolean {
  return status.state === 'ready';
}

async function show(
  toolwright: Toolwright,
  name: string,
  { language, json }: ToolsArguments,
  output: Output,
): Promise<number> {
  const docs = await toolwright.describe(name, 'docs', { language });
  if (json) {
    const signature = await toolwright.describe(name, 'signature', { language });
    const schema = JSON.parse(await toolwright.describe(name, 'schema', { language }));
    output.out(JSON.stringify(await redactedFor({ name, signature, docs, schema }, toolwright, output, json)));
  } else output.out(await redactedFor(docs, toolwright, output, json));
  return EXIT.completed;
}
