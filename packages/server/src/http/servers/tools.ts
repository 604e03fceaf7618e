import { createRoute } from '@hono/zod-openapi';
import { loadTokenizer } from '@toolwright/core/internal';
import * as z from 'zod';
import { languageField } from '../../code-tools/clear-values.ts';
import { answers, documentRoute, type HttpApi, type RouteOptions, userQuery } from '../api.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';

const JSON_TYPE = 'application/json';
const tokens = z
  .int()
  .optional()
  .meta({ description: 'Tokens that a model reads (o200k_base). Of a search: of its description and signature.' });
const tool = z
  .object({ name: z.string(), server: z.string(), description: z.string(), signature: z.string().optional(), tokens })
  .meta({ id: 'Tool' });

const routes = {
  list: createRoute({
    method: 'get',
    path: '/tools',
    operationId: 'listTools',
    summary: 'List all tools, or search them, best match first',
    request: {
      query: userQuery.extend({
        query: z.string().max(1_000).optional(),
        server: z.string().max(256).optional(),
        limit: z.coerce
          .number()
          .int()
          .min(1)
          .max(50)
          .optional()
          .meta({ description: 'Limit of a search. Default: 5.' }),
        language: languageField.optional(),
      }),
    },
    responses: answers({
      200: {
        description: 'Tools',
        schema: z.object({
          tools: z.array(tool),
          note: z.string().optional(),
          text: z.string().optional().meta({ description: 'Of a search: the whole answer, as a model reads it.' }),
          textTokens: z.int().optional(),
        }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  get: createRoute({
    method: 'get',
    path: '/tools/{name}',
    operationId: 'getTool',
    summary: 'Get a tool: signature, declaration or schemas',
    request: {
      params: z.object({ name: z.string().max(256) }),
      query: userQuery.extend({
        detail: z.enum(['signature', 'docs', 'schema']).default('docs'),
        language: languageField.optional(),
      }),
    },
    responses: answers({
      200: {
        description: 'The tool',
        schema: z.object({ name: z.string(), definition: z.string(), tokens }).meta({ id: 'ToolDefinition' }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
};

/** Adds `/tools`. */
export function addToolRoutes(api: HttpApi, { toolwright }: RouteOptions): void {
  api.openapi(routes.list, async (context) => {
    const { userId, query, server, limit, language } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId);
    if (query === undefined) {
      const tools = (await toolwright.tools()).filter((found) => server === undefined || found.server === server);
      const shown = tools.map(({ id, server, definition }) => ({
        name: id,
        server,
        description: definition.description ?? definition.title ?? '',
      }));
      return context.json(await toolwright.pii.redact({ tools: shown }, { userId: user }), 200);
    }
    const { hits, note, text } = await toolwright.search(query, {
      userId: user,
      server,
      limit,
      language,
    });
    const count = await loadTokenizer();
    const tools = hits.map(({ id, server, description, signature }) => ({
      name: id,
      server,
      description,
      signature,
      tokens: count(`${signature}\n${description}`),
    }));
    const answer = { tools, text, textTokens: count(text), note };
    return context.json(await toolwright.pii.redact(answer, { userId: user }), 200);
  });
  documentRoute(api, routes.get);
  api.openapi({ ...routes.get, path: '/tools/:name{[^]+}', hide: true }, async (context) => {
    const { name } = context.req.valid('param');
    const { userId, detail, language } = context.req.valid('query');
    const user = userOf(context.get('principal'), userId);
    const definition = await toolwright.describe(name, detail, {
      userId: user,
      language,
    });
    return context.json(
      await toolwright.pii.redact({ name, definition, tokens: (await loadTokenizer())(definition) }, { userId: user }),
      200,
    );
  });
}
