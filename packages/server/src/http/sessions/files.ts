import { readParts, writeParts } from '@toolwright/core/internal';
import type { Context } from 'hono';
import * as z from 'zod';
import { answers, type HttpApi, type HttpEnv, type RouteOptions, userQuery } from '../api.ts';
import { ANY_TYPE, BYTES, downloadHeaders } from '../download.ts';
import { HttpProblem } from '../requests/problem.ts';
import { accepts } from '../requests/request-checks.ts';
import { userOf } from '../user.ts';

const JSON_TYPE = 'application/json';
const PATH = '/sessions/{id}/files/{path}';
/** The same path in the syntax of the router, which allows slashes in the file path. */
const ROUTE = '/sessions/:id/files/:path{.+}';

const params = z.object({
  id: z.string(),
  path: z.string().meta({ description: 'Path below /workspace. It may contain slashes.' }),
});
const binary = { schema: { type: 'string', format: 'binary' } } as const;
const content = { [BYTES]: binary };
const entry = z
  .object({ path: z.string(), kind: z.enum(['file', 'directory']), size: z.int(), modifiedAt: z.string() })
  .meta({ id: 'File' });

/** Adds the files of sessions: the tree below `/workspace` of a program. */
export function addFileRoutes(api: HttpApi, { toolwright }: RouteOptions): void {
  const filesOf = async (context: Context<HttpEnv>) => {
    const query = userQuery.safeParse(context.req.query());
    if (!query.success)
      throw new HttpProblem(400, 'INVALID_REQUEST', '"userId" must be a text of 1 to 256 characters.');
    const user = userOf(context.get('principal'), query.data.userId);
    return toolwright.sessions.files(context.req.param('id') ?? '', { userId: user });
  };
  document(api);

  api.get('/sessions/:id/files', accepts(JSON_TYPE), async (context) => {
    const files = await filesOf(context);
    const entries = await files.list('/workspace', true);
    const shown = entries.map(({ name, kind, size, mtimeMs }) => ({
      path: name,
      kind,
      size,
      modifiedAt: new Date(mtimeMs).toISOString(),
    }));
    return context.json({ files: shown });
  });
  api.get(ROUTE, async (context) => {
    const path = guestPath(context);
    const files = await filesOf(context);
    const { size, head, parts } = await readParts(files, path);
    const headers = downloadHeaders(head, path, context.req.header('accept'));
    return context.body(ReadableStream.from(parts), 200, { ...headers, 'content-length': String(size) });
  });
  api.put(ROUTE, async (context) => {
    const path = guestPath(context);
    const files = await filesOf(context);
    const existed = await files.stat(path).then(
      () => true,
      () => false,
    );
    await makeFolders(files, path);
    const { body } = context.req.raw;
    const length = context.req.header('content-length');
    if (length === undefined || body === null) {
      await files.write(path, Buffer.from(await context.req.arrayBuffer()), 'replace');
    } else await writeParts(files, path, { size: Number(length), parts: body });
    return context.body(null, existed ? 204 : 201);
  });
  api.delete(ROUTE, async (context) => {
    await (await filesOf(context)).remove(guestPath(context), { recursive: true, force: false });
    return context.body(null, 204);
  });
}

async function makeFolders(
  files: { makeFolder(path: string, recursive: boolean): Promise<void> },
  path: string,
): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf('/'));
  if (folder !== '/workspace') await files.makeFolder(folder, true);
}

function guestPath(context: Context<HttpEnv>): string {
  return `/workspace/${context.req.param('path') ?? ''}`;
}

function document({ openAPIRegistry }: HttpApi): void {
  const files = { description: 'All files and folders', schema: z.object({ files: z.array(entry) }) };
  openAPIRegistry.registerPath({
    method: 'get',
    path: '/sessions/{id}/files',
    operationId: 'listFiles',
    summary: 'List the files of a session',
    request: { params: params.pick({ id: true }), query: userQuery },
    responses: answers({ 200: files }),
  });
  const request = { params, query: userQuery };
  openAPIRegistry.registerPath({
    method: 'get',
    path: PATH,
    operationId: 'readFile',
    summary: 'Read a file',
    request,
    responses: { ...answers({}), 200: { description: 'The file, by its type', content: { [ANY_TYPE]: binary } } },
  });
  openAPIRegistry.registerPath({
    method: 'put',
    path: PATH,
    operationId: 'writeFile',
    summary: 'Write a file atomically and create its folders',
    request: { ...request, body: { required: true, content } },
    responses: answers({ 201: { description: 'Created' }, 204: { description: 'Replaced' } }),
  });
  openAPIRegistry.registerPath({
    method: 'delete',
    path: PATH,
    operationId: 'removeFile',
    summary: 'Delete a file, or a folder with its contents',
    request,
    responses: answers({ 204: { description: 'Deleted' } }),
  });
}
