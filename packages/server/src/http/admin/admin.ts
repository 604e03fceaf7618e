import { createRoute } from '@hono/zod-openapi';
import type { Logger, Toolwright } from '@toolwright/core';
import { ALL_TOOLS, ToolwrightError } from '@toolwright/core';
import * as z from 'zod';
import { LOCAL_PRINCIPAL, type Principal } from '../../principal.ts';
import { answers, type HttpApi } from '../api.ts';
import { jsonBody } from '../requests/json-body.ts';
import { HttpProblem } from '../requests/problem.ts';
import { accepts } from '../requests/request-checks.ts';
import { serverSchema, serverView } from '../server-view.ts';
import type { ConfigEntry, ConfigurationFile } from './configuration-ports.ts';

export interface AdminOptions {
  readonly toolwright: Toolwright;
  readonly logger: Logger;
  /** Without it, `persist` answers 422. */
  readonly configuration?: ConfigurationFile | undefined;
}

const JSON_TYPE = 'application/json';
const SCOPE = 'servers:admin';
/** The keys of an entry that say how its server is reached. */
const KINDS = ['command', 'url', 'openapi', 'graphql'];
const params = z.object({ name: z.string().min(1).max(256) });
const persist = 'Whether the configuration file is changed too. Default: only this process, until it ends.';
const changed = z
  .strictObject({
    server: z
      .record(z.string(), z.unknown())
      .meta({ description: 'An entry as in `mcpServers` of the configuration.' }),
    persist: z.boolean().default(false).meta({ description: persist }),
  })
  .meta({ id: 'ChangedServer' });
const wanted = changed.extend({ name: z.string().min(1).max(256) }).meta({ id: 'NewServer' });
const report = z
  .object({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    changed: z.array(z.string()),
    needsRestart: z.array(z.string()).meta({ description: 'Changed settings that count after a restart.' }),
  })
  .meta({ id: 'ReloadReport' });
/** Parts of all routes. */
const common = { middleware: [accepts(JSON_TYPE)] };
const RIGHT = `Needs a key or token with the scope \`${SCOPE}\`. A server without keys refuses it.`;

const routes = {
  list: createRoute({
    ...common,
    method: 'get',
    path: '/admin/servers',
    operationId: 'listServers',
    summary: 'List the servers with their state',
    description: RIGHT,
    responses: answers({ 200: { description: 'The servers', schema: z.object({ servers: z.array(serverSchema) }) } }),
  }),
  add: createRoute({
    method: 'post',
    path: '/admin/servers',
    operationId: 'addServer',
    summary: 'Add a server while programs run',
    description: `Answers when its tools are listed; otherwise nothing is added. ${RIGHT}`,
    request: { body: { required: true, content: { [JSON_TYPE]: { schema: wanted } } } },
    responses: answers({ 201: { description: 'The server', schema: serverSchema } }),
    middleware: [accepts(JSON_TYPE), jsonBody()],
  }),
  entry: createRoute({
    ...common,
    method: 'get',
    path: '/admin/servers/{name}',
    operationId: 'getServerEntry',
    summary: 'Show the entry of a server in the configuration file',
    description: `Its secrets are hidden as "•••". ${RIGHT}`,
    request: { params },
    responses: answers({
      200: {
        description: 'The server. It has no entry unless it is in the configuration file.',
        schema: z.object({ server: serverSchema, entry: z.record(z.string(), z.unknown()).optional() }),
      },
    }),
  }),
  change: createRoute({
    method: 'put',
    path: '/admin/servers/{name}',
    operationId: 'changeServer',
    summary: 'Change the entry of a server while programs run',
    description: `Answers when the tools of the new entry are listed; otherwise nothing is changed. A hidden secret "•••" stays as it is in the configuration file. ${RIGHT}`,
    request: { params, body: { required: true, content: { [JSON_TYPE]: { schema: changed } } } },
    responses: answers({ 200: { description: 'The server', schema: serverSchema } }),
    middleware: [accepts(JSON_TYPE), jsonBody()],
  }),
  remove: createRoute({
    method: 'delete',
    path: '/admin/servers/{name}',
    operationId: 'removeServer',
    summary: 'Remove a server while programs run',
    description: `Its running calls have 10 seconds to end. ${RIGHT}`,
    request: {
      params,
      query: z.object({ persist: z.enum(['true', 'false']).optional().meta({ description: persist }) }),
    },
    responses: answers({ 204: { description: 'Removed' } }),
  }),
  reload: createRoute({
    ...common,
    method: 'post',
    path: '/admin/reload',
    operationId: 'reloadConfiguration',
    summary: 'Read the configuration file again',
    description: `An invalid file changes nothing. ${RIGHT}`,
    responses: answers({ 200: { description: 'The changes', schema: report } }),
  }),
};

/** Adds `/admin`. Every route starts or ends processes for all users, so a key alone does not suffice. */
export function addAdminRoutes(api: HttpApi, { toolwright, logger, configuration }: AdminOptions): void {
  api.use('/admin/*', async (context, next) => {
    requireAdmin(context.get('principal'));
    await next();
  });
  api.openapi(routes.list, async (context) => {
    const servers = await toolwright.servers({ profile: ALL_TOOLS });
    return context.json({ servers: await toolwright.pii.redact(servers.map(serverView)) }, 200);
  });
  api.openapi(routes.add, async (context) => {
    const { name, server: entry, persist: isKept } = context.req.valid('json');
    const file = isKept ? requireFile(configuration) : undefined;
    const added = await addServer(toolwright, file, { name, entry });
    logger.info({ server: name, by: context.get('principal'), persist: isKept }, 'a server was added');
    return context.json(await toolwright.pii.redact(serverView(added)), 201);
  });
  api.openapi(routes.entry, async (context) => {
    const server = await serverNamed(toolwright, context.req.valid('param').name);
    const entry = await configuration?.entry(server.name);
    const shown = await toolwright.pii.redact(serverView(server));
    // A placeholder in the entry would be saved.
    return context.json({ server: shown, entry: entry === undefined ? undefined : { ...entry } }, 200);
  });
  api.openapi(routes.change, async (context) => {
    const { name } = await serverNamed(toolwright, context.req.valid('param').name);
    const { server, persist: isKept } = context.req.valid('json');
    const file = isKept ? requireFile(configuration) : undefined;
    checkKind(name, server);
    const entry = (await configuration?.complete(name, server)) ?? server;
    const before = file && (await storedEntry(file, name));
    const replaced = await toolwright.replaceServer(name, entry);
    await file?.change(name, entry).catch(async (error: unknown) => {
      if (before) await toolwright.replaceServer(name, before);
      throw error;
    });
    logger.info({ server: name, by: context.get('principal'), persist: isKept }, 'a server was changed');
    return context.json(await toolwright.pii.redact(serverView(replaced)), 200);
  });
  api.openapi(routes.remove, async (context) => {
    const { name } = await serverNamed(toolwright, context.req.valid('param').name);
    const isKept = context.req.valid('query').persist === 'true';
    const file = isKept ? requireFile(configuration) : undefined;
    // The file first: otherwise a reload in between would add the server again.
    await file?.remove(name);
    await toolwright.removeServer(name);
    logger.info({ server: name, by: context.get('principal'), persist: isKept }, 'a server was removed');
    return context.body(null, 204);
  });
  api.openapi(routes.reload, async (context) => {
    const { added, removed, changed, needsRestart } = await toolwright.reload();
    logger.info({ by: context.get('principal') }, 'the configuration was reloaded');
    return context.json(
      { added: [...added], removed: [...removed], changed: [...changed], needsRestart: [...needsRestart] },
      200,
    );
  });
}

/** Finds a server by its name or its slug. Raises `UNKNOWN_SERVER`. */
export async function serverNamed(toolwright: Toolwright, name: string) {
  const servers = await toolwright.servers({ profile: ALL_TOOLS });
  const found = servers.find((each) => each.name === name) ?? servers.find((each) => each.slug === name);
  if (found) return found;
  throw new ToolwrightError('UNKNOWN_SERVER', `There is no server "${name}".`);
}

/** Returns the whole entry of a server in the file. Raises `CONFIG_INVALID` without one. */
async function storedEntry(file: ConfigurationFile, name: string): Promise<ConfigEntry> {
  const shown = await file.entry(name);
  if (shown) return file.complete(name, shown);
  const message = `The configuration file has no server "${name}". Omit "persist", or remove the server and add it with "persist".`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

/** Adds a server to this process, and to the file if there is one: to both or to none. */
export async function addServer(
  toolwright: AdminOptions['toolwright'],
  file: ConfigurationFile | undefined,
  { name, entry }: { readonly name: string; readonly entry: ConfigEntry },
): ReturnType<AdminOptions['toolwright']['addServer']> {
  checkKind(name, entry);
  const added = await toolwright.addServer(name, entry);
  await file?.add(name, entry).catch(async (error: unknown) => {
    await toolwright.removeServer(name, { waitMs: 0 });
    throw error;
  });
  return added;
}

/** Raises a problem 403 for a principal without the scope `servers:admin`. */
export function requireAdmin(principal: Principal): void {
  if (principal.scopes?.includes(SCOPE)) return;
  const fix = `toolwright keys create --user NAME --scope ${SCOPE}`;
  const detail =
    principal.credential === LOCAL_PRINCIPAL.credential
      ? `A server without keys has no /admin: every user of this machine could start programs through it. Log in with "toolwright dashboard". Or create a key with "${fix}", and restart the server.`
      : `This key has no right to change servers. Use a key with the scope "${SCOPE}": "${fix}".`;
  throw new HttpProblem(403, 'FORBIDDEN', detail);
}

/** Returns the configuration file. Raises `CONFIG_INVALID` without one. */
export function requireFile(configuration: ConfigurationFile | undefined): ConfigurationFile {
  if (configuration) return configuration;
  const message = '"persist" needs a configuration file. Start the server with --config FILE, or omit "persist".';
  throw new ToolwrightError('CONFIG_INVALID', message);
}

/** Raises `CONFIG_INVALID` for an entry of no kind, such as one with inline tools. */
function checkKind(name: string, entry: object): void {
  if (KINDS.some((kind) => kind in entry)) return;
  const kinds = KINDS.map((kind) => `"${kind}"`).join(', ');
  throw new ToolwrightError('CONFIG_INVALID', `The server "${name}" needs one of ${kinds}.`);
}
