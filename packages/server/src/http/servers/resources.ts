import { createRoute } from '@hono/zod-openapi';
import type { ServerContextApi } from '@toolwright/core';
import * as z from 'zod';
import { readBounded } from '../../media/read-resource.ts';
import { pageOf } from '../../pages.ts';
import { answers, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const name = z.string().min(1).max(256);
const texts = { name: z.string(), title: z.string().optional(), description: z.string().optional() };
const pageQuery = userQuery.extend({
  server: name.optional(),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  cursor: z.string().max(64).optional(),
});
const entry = z
  .object({
    server: z.string(),
    uri: z.string().optional().meta({ description: 'Of a resource.' }),
    uriTemplate: z.string().optional().meta({ description: 'Of a template (RFC 6570).' }),
    ...texts,
    mimeType: z.string().optional(),
    size: z.number().optional(),
  })
  .meta({ id: 'Resource' });
const part = z
  .object({
    uri: z.string(),
    mimeType: z.string().optional(),
    text: z.string().optional(),
    blob: z.string().optional().meta({ description: 'Bytes as base64.' }),
  })
  .meta({ id: 'ResourcePart' });
const argument = z.object({ ...texts, required: z.boolean().optional() });
const prompt = z.object({ server: z.string(), ...texts, arguments: z.array(argument) }).meta({ id: 'Prompt' });
const message = z.object({ role: z.enum(['user', 'assistant']), content: z.unknown() });
const common = { middleware: [accepts('application/json')] };

const routes = {
  list: createRoute({
    ...common,
    method: 'get',
    path: '/resources',
    operationId: 'listResources',
    summary: 'List the resources and templates of all servers, or of one',
    request: { query: pageQuery },
    responses: answers({
      200: {
        description: 'A page',
        schema: z.object({ resources: z.array(entry), nextCursor: z.string().optional() }),
      },
    }),
  }),
  read: createRoute({
    ...common,
    method: 'get',
    path: '/resources/content',
    operationId: 'readResource',
    summary: 'Read a resource of a server',
    request: { query: userQuery.extend({ server: name, uri: z.string().min(1).max(8_000) }) },
    responses: answers({
      200: { description: 'Its parts, each with text or bytes', schema: z.object({ contents: z.array(part) }) },
    }),
  }),
  prompts: createRoute({
    ...common,
    method: 'get',
    path: '/prompts',
    operationId: 'listPrompts',
    summary: 'List the prompts of all servers, or of one',
    request: { query: pageQuery },
    responses: answers({
      200: {
        description: 'A page',
        schema: z.object({ prompts: z.array(prompt), nextCursor: z.string().optional() }),
      },
    }),
  }),
  get: createRoute({
    ...common,
    method: 'post',
    path: '/prompts',
    operationId: 'getPrompt',
    summary: 'Fill a prompt of a server',
    request: {
      query: userQuery,
      body: {
        required: true,
        content: {
          'application/json': {
            schema: z.strictObject({
              server: name,
              name: z.string().min(1).max(2_000),
              arguments: z.record(z.string(), z.string()).default({}),
            }),
          },
        },
      },
    },
    responses: answers({
      200: {
        description: 'Messages for a model',
        schema: z.object({ description: z.string().optional(), messages: z.array(message) }),
      },
    }),
  }),
};

/** Adds `/resources` and `/prompts`, as a user has them. The context of the core redacts them and asks the policy. */
export function addResourceRoutes(api: HttpApi, { toolwright: { context: servers } }: RouteOptions): void {
  api.openapi(routes.list, async (context) => {
    const { userId, server, limit, cursor } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId);
    const all = await entriesOf(servers, user, server, context.req.raw.signal);
    const { entries, ...next } = pageOf(all, { limit, cursor, keyOf: keyOfEntry });
    return context.json({ resources: [...entries], ...next }, 200);
  });
  api.openapi(routes.read, async (context) => {
    const { userId, server, uri } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId);
    const contents = await readBounded(servers, { server, uri }, { userId: user, signal: context.req.raw.signal });
    return context.json({ contents: [...contents] }, 200);
  });
  api.openapi(routes.prompts, async (context) => {
    const { userId, server, limit, cursor } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId);
    const named = { server };
    const lists = await servers.prompts({ userId: user, signal: context.req.raw.signal, ...named });
    const all = lists.flatMap(({ server: from, prompts }) =>
      prompts.map((own) => ({ server: from, ...own, arguments: [...own.arguments] })),
    );
    const keyOf = (own: (typeof all)[number]) => JSON.stringify([own.server, own.name]);
    const { entries, ...next } = pageOf(all, { limit, cursor, keyOf });
    return context.json({ prompts: [...entries], ...next }, 200);
  });
  api.openapi(routes.get, async (context) => {
    const { server, name: wanted, arguments: args } = context.req.valid('json');
    const userId = userOf(context.get('principal'), context.req.valid('query').userId);
    const filled = await servers.getPrompt(server, wanted, args, { userId, signal: context.req.raw.signal });
    const { description, messages } = filled;
    return context.json({ description, messages: [...messages] }, 200);
  });
}

async function entriesOf(servers: ServerContextApi, userId: string, server: string | undefined, signal: AbortSignal) {
  const lists = await servers.resources({ userId, signal, server });
  return lists.flatMap(({ server: from, resources, templates }) =>
    [...resources, ...templates].map((own) => ({ server: from, ...own })),
  );
}

function keyOfEntry(own: object): string {
  const { server, uri, uriTemplate } = own as { server: string; uri?: string; uriTemplate?: string };
  return JSON.stringify([server, uri ?? null, uriTemplate ?? null]);
}
