import { createRoute } from '@hono/zod-openapi';
import type { PolicyConfig } from '@toolwright/core';
import { ruleLabel } from '@toolwright/core/internal';
import * as z from 'zod';
import type { Principal } from '../../principal.ts';
import { answers, type HttpApi, type RouteOptions } from '../api.ts';
import { HttpProblem } from '../requests/problem.ts';
import { accepts } from '../requests/request-checks.ts';
import { mayNameOthers } from '../user.ts';

const globs = z.array(z.string()).optional().meta({ description: 'Globs, of which one must match.' });
const hint = z.boolean().optional();
const annotations = z.object({
  readOnlyHint: hint,
  destructiveHint: hint,
  idempotentHint: hint,
  openWorldHint: hint,
});
const rule = z
  .object({
    rule: z.string().meta({ description: 'Its name in decisions and errors.' }),
    action: z.enum(['allow', 'ask', 'deny']),
    limit: z.string().optional().meta({ description: 'How often it allows calls: `20 per hour`.' }),
    tools: globs,
    servers: globs,
    annotations: annotations.optional(),
    arguments: z.unknown().optional().meta({ description: 'A JSON Schema.' }),
    argumentGlobs: z.record(z.string(), z.array(z.string())).optional(),
    from: z.record(z.string(), z.array(z.string())).optional().meta({ description: 'Origins, by argument.' }),
    carries: z
      .array(z.string())
      .optional()
      .meta({ description: 'Servers or tools whose data the arguments may have.' }),
    users: globs,
    sessions: globs,
  })
  .meta({ id: 'PolicyRule' });
const mark = z
  .object({ tools: globs, servers: globs, readOnly: z.boolean().optional(), idempotent: z.boolean().optional() })
  .meta({ id: 'PolicyMark' });
const policy = z
  .object({
    preset: z
      .enum(['open', 'guarded', 'careful', 'read-only'])
      .meta({ description: 'Decides calls that no rule matches.' }),
    rules: z.array(rule).meta({ description: 'In their order. A rule matches if all its conditions hold.' }),
    tools: z.array(mark).meta({ description: 'Tools that the configuration declares as read-only or idempotent.' }),
  })
  .meta({ id: 'Policy' });

const route = createRoute({
  method: 'get',
  path: '/policy',
  operationId: 'getPolicy',
  summary: 'Show the policy in force',
  description:
    'Rules may name users and sessions. So it needs a key or token with the scope `executions:decide` or `servers:admin`; a server without ' +
    'keys allows it.',
  responses: answers({ 200: { description: 'The policy', schema: policy } }),
  middleware: [accepts('application/json')],
});

/** Adds `/policy`. */
export function addPolicyRules(api: HttpApi, { toolwright }: RouteOptions): void {
  api.openapi(route, async (context) => {
    requireReader(context.get('principal'));
    const { preset, rules, tools } = toolwright.policy;
    const shown = {
      rules: await Promise.all(rules.map((each, index) => ruleView(toolwright, each, index))),
      tools: await toolwright.pii.redact(
        tools.map((each) => ({ ...each, tools: listOf(each.tools), servers: listOf(each.servers) })),
      ),
    };
    return context.json({ preset, ...shown }, 200);
  });
}

function requireReader(principal: Principal): void {
  if (mayNameOthers(principal, 'executions:decide') || principal.scopes?.includes('servers:admin')) return;
  const detail =
    'This key may not read the rules, which may name other users. Use a key with the scope "executions:decide" or "servers:admin". ' +
    'POST /policy/test shows the decision about a call.';
  throw new HttpProblem(403, 'FORBIDDEN', detail);
}

type Rule = PolicyConfig['rules'][number];

/** Ids of users and sessions stay as they are, as in the lists of executions. */
async function ruleView(
  { pii }: RouteOptions['toolwright'],
  given: Rule,
  index: number,
): Promise<z.infer<typeof rule>> {
  const { name: _name, tools, servers, users, sessions, argumentGlobs, ...rest } = given;
  const byArgument = argumentGlobs && Object.entries(argumentGlobs).map(([key, value]) => [key, listOf(value)]);
  const redacted = await pii.redact({
    rule: ruleLabel(given, index),
    ...rest,
    tools: listOf(tools),
    servers: listOf(servers),
    argumentGlobs: byArgument && Object.fromEntries(byArgument),
  });
  return { ...redacted, users: listOf(users), sessions: listOf(sessions) };
}

function listOf(globs: string | readonly string[] | undefined): string[] | undefined {
  return globs === undefined ? undefined : [globs].flat();
}
