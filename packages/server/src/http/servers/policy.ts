import { createRoute } from '@hono/zod-openapi';
import * as z from 'zod';
import { answers, type HttpApi, type RouteOptions } from '../api.ts';
import { jsonBody } from '../requests/json-body.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';

const JSON_TYPE = 'application/json';
const action = z.enum(['allow', 'ask', 'deny']);
const body = z
  .strictObject({
    tool: z.string().min(1).max(256),
    arguments: z.record(z.string(), z.unknown()).optional().meta({ description: 'Default: any arguments.' }),
    userId: z.string().min(1).max(256).optional(),
    sessionId: z.string().max(64).optional(),
    policy: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Settings to test, as `policy` in the configuration. Default: those of the server.' }),
  })
  .meta({ id: 'PolicyTest' });
const explanation = z
  .object({
    action: z.enum([...action.options, 'depends']).meta({ description: '`depends`: the arguments decide.' }),
    rule: z.string(),
    limit: z.string().optional(),
    annotations: z.looseObject({}).meta({ description: 'The traits of the tool, as the policy sees them.' }),
    earlier: z
      .array(
        z.object({ rule: z.string(), action, depends: z.boolean(), key: z.string(), condition: z.string().optional() }),
      )
      .readonly()
      .meta({ description: 'The rules before, with the condition that does not hold.' }),
  })
  .meta({ id: 'PolicyExplanation' });

const route = createRoute({
  method: 'post',
  path: '/policy/test',
  operationId: 'testPolicy',
  summary: 'Show how the policy decides a call',
  description: 'Sends nothing, and counts for no limit.',
  request: { body: { required: true, content: { [JSON_TYPE]: { schema: body } } } },
  responses: answers({ 200: { description: 'The decision and its reason', schema: explanation } }),
  middleware: [accepts(JSON_TYPE), jsonBody()],
});

/** Adds `/policy/test`. */
export function addPolicyTest(api: HttpApi, { toolwright }: RouteOptions): void {
  api.openapi(route, async (context) => {
    const { tool, userId: named, policy, ...call } = context.req.valid('json');
    const userId = userOf(context.get('principal'), named, 'executions:decide');
    const tested = policy === undefined ? {} : { policy: policy as object };
    const { annotations, ...explained } = await toolwright.explain(tool, { ...call, ...tested, userId });
    const redacted = await toolwright.pii.redact({ ...explained, annotations: { ...annotations } }, { userId });
    return context.json(redacted, 200);
  });
}
