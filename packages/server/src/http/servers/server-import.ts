import { createRoute } from '@hono/zod-openapi';
import { ALL_TOOLS, ToolwrightError } from '@toolwright/core';
import * as z from 'zod';
import { type AdminOptions, addServer, requireFile } from '../admin/admin.ts';
import type { ClientServers } from '../admin/configuration-ports.ts';
import { answers, type HttpApi } from '../api.ts';
import { jsonBody } from '../requests/json-body.ts';
import { accepts } from '../requests/request-checks.ts';

export interface ServerImportOptions extends AdminOptions {
  /** Without it, no server is found. */
  readonly clientServers?: ClientServers | undefined;
}

const JSON_TYPE = 'application/json';
const MAX_IMPORTED = 200;
const place = { name: z.string().min(1).max(256), path: z.string().max(4_096) };
const found = z
  .object({
    ...place,
    client: z.string(),
    entry: z.record(z.string(), z.unknown()).meta({ description: 'With hidden secrets.' }),
    notes: z.array(z.string()),
    isKnown: z.boolean().meta({ description: 'Whether Toolwright has a server of this name.' }),
  })
  .meta({ id: 'ClientServer' });

const routes = {
  find: createRoute({
    method: 'get',
    path: '/admin/import',
    operationId: 'findClientServers',
    summary: 'Find the servers of other clients on the machine of Toolwright',
    responses: answers({
      200: {
        description: 'The servers, those that Toolwright cannot run, and the files that cannot be read',
        schema: z.object({
          servers: z.array(found),
          left: z.array(z.object({ name: z.string(), path: z.string(), reason: z.string() })),
          unreadable: z.array(z.object({ path: z.string(), problem: z.string() })),
        }),
      },
    }),
    middleware: [accepts(JSON_TYPE)],
  }),
  import: createRoute({
    method: 'post',
    path: '/admin/import',
    operationId: 'importServers',
    summary: 'Add servers of other clients',
    description: 'A server that does not list its tools is not added, and does not keep the others from being added.',
    request: {
      body: {
        required: true,
        content: {
          [JSON_TYPE]: {
            schema: z
              .strictObject({
                servers: z.array(z.strictObject(place)).min(1).max(MAX_IMPORTED),
                persist: z.boolean().default(false),
              })
              .meta({ id: 'ImportRequest' }),
          },
        },
      },
    },
    responses: answers({
      200: {
        description: 'The added servers, and those that were not added',
        schema: z.object({
          added: z.array(z.string()),
          failed: z.array(z.object({ name: z.string(), problem: z.string() })),
        }),
      },
    }),
    middleware: [accepts(JSON_TYPE), jsonBody()],
  }),
};

/** Adds `/admin/import`, after `addAdminRoutes`, which checks the right. */
export function addServerImport(api: HttpApi, options: ServerImportOptions): void {
  const { toolwright, logger, configuration, clientServers } = options;
  api.openapi(routes.find, async (context) => {
    const { servers = [], left = [], unreadable = [] } = (await clientServers?.find()) ?? {};
    const known = new Set((await toolwright.servers({ profile: ALL_TOOLS })).map(({ name }) => name));
    const shown = servers.map(({ name, path, client, entry, notes }) => ({
      name,
      path,
      client,
      notes: [...notes],
      isKnown: known.has(name),
      entry: { ...entry },
    }));
    return context.json({ servers: shown, left: [...left], unreadable: [...unreadable] }, 200);
  });
  api.openapi(routes.import, async (context) => {
    const { servers, persist } = context.req.valid('json');
    const file = persist ? requireFile(configuration) : undefined;
    const added: string[] = [];
    const failed: { name: string; problem: string }[] = [];
    for (const { name, path } of servers) {
      try {
        const entry = await clientServers?.entry(path, name);
        if (!entry)
          throw new ToolwrightError('UNKNOWN_SERVER', `${path} has no server "${name}". Look for servers again.`);
        await addServer(toolwright, file, { name, entry });
        added.push(name);
      } catch (error) {
        if (!(error instanceof ToolwrightError)) throw error;
        failed.push({ name, problem: error.message });
      }
    }
    logger.info({ servers: added, by: context.get('principal'), persist }, 'servers were imported');
    return context.json(await toolwright.pii.redact({ added, failed }), 200);
  });
}
