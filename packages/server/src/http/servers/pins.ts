import { createRoute } from '@hono/zod-openapi';
import * as z from 'zod';
import { requireAdmin } from '../admin/admin.ts';
import { answers, type HttpApi, type RouteOptions } from '../api.ts';
import { jsonBody } from '../requests/json-body.ts';
import { HttpProblem } from '../requests/problem.ts';
import { accepts } from '../requests/request-checks.ts';

const JSON_TYPE = 'application/json';
const MAX_APPROVED = 1_000;
const pin = z
  .object({
    id: z.string(),
    server: z.string(),
    name: z.string(),
    state: z.enum(['accepted', 'quarantined']),
    reasons: z.array(z.object({ code: z.string(), text: z.string() })).readonly(),
    fingerprint: z.string().meta({ description: 'Of the definition that the server lists now.' }),
    approvedAt: z.string().optional(),
    diff: z.string().optional().meta({ description: 'The lines that differ from the accepted definition.' }),
  })
  .meta({ id: 'ToolPin' });
const approval = z.strictObject({
  tools: z
    .array(z.strictObject({ id: z.string().max(256), fingerprint: z.string().max(256) }))
    .min(1)
    .max(MAX_APPROVED),
});

const routes = {
  list: createRoute({
    method: 'get',
    path: '/pins',
    operationId: 'listPins',
    summary: 'List the tools with their pins, and those in quarantine',
    responses: answers({
      200: {
        description: 'The pins',
        schema: z.object({ mode: z.enum(['off', 'warn', 'block']), pins: z.array(pin) }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  approve: createRoute({
    method: 'post',
    path: '/pins/approvals',
    operationId: 'approvePins',
    summary: 'Accept definitions of tools',
    description:
      'Answers 409 `QUESTION_CHANGED`, and accepts nothing, when a server lists another definition than the one that the person saw. Needs a ' +
      'key or token with the scope `servers:admin`.',
    request: { body: { required: true, content: { [JSON_TYPE]: { schema: approval } } } },
    responses: answers({ 200: { description: 'The accepted tools', schema: z.object({ pins: z.array(pin) }) } }),
    middleware: [accepts(JSON_TYPE), jsonBody()],
  }),
};

/** Adds `/pins`. */
export function addPinRoutes(api: HttpApi, { toolwright, logger }: RouteOptions): void {
  const { pins, pii } = toolwright;
  api.openapi(routes.list, async (context) => {
    const listed = await pii.redact([...(await pins.list())]);
    return context.json({ mode: pins.mode, pins: listed }, 200);
  });
  api.openapi(routes.approve, async (context) => {
    const principal = context.get('principal');
    requireAdmin(principal);
    const { tools } = context.req.valid('json');
    const now = new Map((await pins.list()).map(({ id, fingerprint }) => [id, fingerprint]));
    const changed = tools.find(({ id, fingerprint }) => now.has(id) && now.get(id) !== fingerprint);
    if (changed) {
      const detail = `The server lists another definition of ${changed.id} than the one that was shown. Nothing was accepted: show it again.`;
      throw new HttpProblem(409, 'QUESTION_CHANGED', detail);
    }
    const accepted = await pins.approve(tools.map(({ id }) => id));
    logger.info({ tools: tools.map(({ id }) => id), by: principal }, 'definitions of tools were accepted');
    return context.json({ pins: await pii.redact([...accepted]) }, 200);
  });
}
