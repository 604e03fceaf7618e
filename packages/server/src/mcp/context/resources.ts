import { type McpServer, type Resource, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { readBounded } from '../../media/read-resource.ts';
import { pageOf } from '../../pages.ts';
import { SESSION_FILES } from '../sessions/session-files.ts';
import { answerOrFail } from './failure.ts';
import { publicTemplate, publicUri, serverUri } from './uris.ts';

/** Entries of one page of a list. */
const PAGE_ENTRIES = 1_000;

/** The user of a client, and the Toolwright. */
export interface ContextCaller {
  readonly open: () => Promise<Toolwright>;
  readonly user: string;
}

/** Serves the resources of the servers to a client, with URIs that name their server. */
export function registerServerResources(server: McpServer, { open, user }: ContextCaller): void {
  const read = async (uri: string, signal: AbortSignal) => {
    const { context } = await open();
    const own = serverUri(uri);
    if (!own) throw new ToolwrightError('UNKNOWN_SERVER', 'Unknown resource.');
    const parts = await readBounded(context, own, { userId: user, signal });
    return { contents: parts.map((part) => ({ ...part, uri: publicUri({ server: own.server, uri: part.uri }) })) };
  };
  for (const [name, uri] of [
    ['server-resources', 'toolwright://resources/{server}/{+uri}'],
    ['server-views', 'ui://toolwright/{server}/{+uri}'],
  ] as const) {
    server.registerResource(name, new ResourceTemplate(uri, { list: undefined }), {}, (own, _variables, context) =>
      answerOrFail(() => read(own.href, (context as ServerContext).mcpReq.signal), own.href),
    );
  }
  serveTemplates(server, { open, user });
}

/** Serves the list of all resources page by page: `own` ones of Toolwright, then those of the servers. */
export function serveResourceList(
  { server }: McpServer,
  { open, user }: ContextCaller,
  own: () => Promise<readonly Resource[]>,
): void {
  server.setRequestHandler('resources/list', ({ params }) =>
    answerOrFail(async () => {
      const [first, lists] = await Promise.all([
        own(),
        open().then(({ context }) => context.resources({ userId: user })),
      ]);
      const others = lists.flatMap(({ server: from, resources }) =>
        resources.map(
          ({ uri, title, name, ...more }): Resource => ({
            ...more,
            uri: publicUri({ server: from, uri }),
            name: `${from}: ${name}`,
            title: title === undefined ? undefined : `${from}: ${title}`,
          }),
        ),
      );
      const page = { cursor: params?.cursor, limit: PAGE_ENTRIES, keyOf: ({ uri }: Resource) => uri };
      const { entries, ...next } = pageOf([...first, ...others], page);
      return { resources: [...entries], ...next };
    }),
  );
}

const OWN_TEMPLATES = [
  SESSION_FILES,
  { uriTemplate: 'toolwright://servers/{+path}', name: 'server-files', title: 'Modules and types of servers' },
  {
    uriTemplate: 'toolwright://resources/{server}/{+uri}',
    name: 'server-resources',
    title: 'Resources of servers',
  },
];

/** Serves the templates of the servers after ours. */
function serveTemplates({ server }: McpServer, { open, user }: ContextCaller): void {
  server.setRequestHandler('resources/templates/list', ({ params }) =>
    answerOrFail(async () => {
      const lists = await (await open()).context.resources({ userId: user });
      const templates = lists.flatMap(({ server: from, templates: own }) =>
        own.map(({ uriTemplate, name, ...more }) => ({
          ...more,
          uriTemplate: publicTemplate(from, uriTemplate),
          name: `${from}: ${name}`,
        })),
      );
      const page = {
        cursor: params?.cursor,
        limit: PAGE_ENTRIES,
        keyOf: (own: { uriTemplate: string }) => own.uriTemplate,
      };
      const { entries, ...next } = pageOf([...OWN_TEMPLATES, ...templates], page);
      return { resourceTemplates: [...entries], ...next };
    }),
  );
}
