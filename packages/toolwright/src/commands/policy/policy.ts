import type { Tool, Toolwright, ToolwrightConfig } from '@toolwright/core';
import { EXIT, type Output } from '@toolwright/core/command';
import { createPolicy, DEFAULT_USER, type Explanation, type Policy } from '@toolwright/core/internal';
import { redactedFor } from '../redacted.ts';
import { originLines } from '../run/print-result.ts';
import { serverProblem } from '../server-problem.ts';

export interface PolicyArguments {
  /** The tool to test. Undefined: all tools. */
  readonly tool: string | undefined;
  /** Arguments of the call. Absent: any. */
  readonly args?: Readonly<Record<string, unknown>>;
  readonly caller: { readonly userId: string | undefined; readonly sessionId: string | undefined };
  /** The user's own words. */
  readonly request?: string | undefined;
  readonly policy: ToolwrightConfig['policy'];
  readonly json: boolean;
}

/** Maximum wait for slow servers in milliseconds. */
const LIST_WAIT_MS = 30_000;
const ACTIONS = { allow: 'allow', ask: 'ask', deny: 'deny', depends: 'depends on arguments' } as const;

/** Shows how the policy decides a call of one tool, or of every tool. Calls none. Returns the exit code. */
export async function testPolicy(toolwright: Toolwright, args: PolicyArguments, output: Output): Promise<number> {
  const { tool: id, args: given, caller, request, json } = args;
  const policy = createPolicy(args.policy);
  const explain: Explain = (tool) =>
    policy.explain({
      tool,
      userId: caller.userId ?? DEFAULT_USER,
      sessionId: caller.sessionId,
      arguments: given,
      request,
    });
  if (id === undefined) return listTools(toolwright, policy, explain, json, output);
  // It lists the tools of the server first, and raises an error with similar names for an unknown tool.
  await toolwright.describe(id, 'signature');
  const tool = (await toolwright.tools({ waitMs: 0 })).find((known) => known.id === id);
  if (tool === undefined) throw new Error(`The tool ${id} was removed by its server. Run the command again.`);
  const explanation = explain(tool);
  output.out(json ? JSON.stringify({ tool: id, ...explanation }) : textOf(id, explanation));
  return EXIT.completed;
}

type Explain = (tool: Tool) => ReturnType<Policy['explain']>;

async function listTools(
  toolwright: Toolwright,
  policy: Policy,
  explain: Explain,
  json: boolean,
  output: Output,
): Promise<number> {
  const listed = await toolwright.servers({ load: true, waitMs: LIST_WAIT_MS });
  const servers = await redactedFor(listed, toolwright, output, json);
  const tools = await toolwright.tools();
  const explained = tools.map((tool) => ({ tool: tool.id, ...explain(tool) }));
  const rows = await redactedFor(explained, toolwright, output, json);
  const unused = policy.unusedRules(tools);
  if (json) output.out(JSON.stringify({ tools: rows.map(({ earlier: _earlier, ...row }) => row), unused }));
  else {
    const actionWidth = Math.max(0, ...rows.map(({ action }) => ACTIONS[action].length));
    const idWidth = Math.max(0, ...rows.map(({ tool }) => tool.length));
    for (const { tool, action, rule, limit } of rows) {
      output.out(`${ACTIONS[action].padEnd(actionWidth)}  ${tool.padEnd(idWidth)}  ${rule}${limitText(limit)}`);
    }
    for (const rule of unused) output.err(`warning: ${rule} matches no tool that the servers have listed`);
  }
  const failed = servers.filter(({ status }) => status.state !== 'ready');
  for (const server of failed) output.err(`${server.name}: ${serverProblem(server, LIST_WAIT_MS)}`);
  return failed.length === 0 ? EXIT.completed : EXIT.defect;
}

function textOf(tool: string, { action, rule, limit, annotations, origins, earlier }: Explanation): string {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const traits = [
    readOnlyHint ? 'read-only' : 'not read-only',
    destructiveHint ? 'destructive' : 'not destructive',
    idempotentHint ? 'idempotent' : 'not idempotent',
    openWorldHint ? 'open world' : 'closed world',
  ];
  const last = action === 'depends' ? 'otherwise' : 'decides';
  return [
    `${tool}: ${ACTIONS[action]}`,
    `  the tool is ${traits.join(', ')}`,
    ...originLines(origins),
    ...earlier.map((missed) => {
      const on = missed.condition === undefined ? missed.key : `${missed.key}, ${missed.condition}`;
      return `  ${missed.rule} (${missed.action}) ${missed.depends ? 'depends on' : 'does not match'}: ${on}`;
    }),
    `  ${rule} ${last}${limitText(limit)}`,
  ].join('\n');
}

function limitText(limit: string | undefined): string {
  return limit === undefined ? '' : ` (${limit})`;
}
