import { type McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import { type Toolwright, ToolwrightError } from '@toolwright/core';
import { answerOrFail } from './failure.ts';
import { publicTemplate, publicUri, serverUri } from './uris.ts';

/** Characters of one read resource. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

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
    const parts = await context.read(own.server, own.uri, { userId: user, signal });
    const characters = parts.reduce((sum, part) => sum + ('text' in part ? part.text : part.blob).length, 0);
    if (characters > MAX_CHARACTERS) {
      const message = `The resource has ${Math.ceil(characters / 1e6)} million characters, the limit is ${Math.ceil(MAX_CHARACTERS / 1e6)}. Read it in a program.`;
      throw new ToolwrightError('TOOL_RESULT_TOO_LARGE', message);
    }
    return { contents: parts.map((part) => ({ ...part, uri: publicUri({ server: own.server, uri: part.uri }) })) };
  };
  const list = async () => {
    const { context } = await open();
    const lists = await context.resources({ userId: user });
    const resources = lists.flatMap(({ server: from, resources: own }) =>
      own.map(({ uri, title, name, ...more }) => ({
        ...more,
        uri: publicUri({ server: from, uri }),
        name: `${from}: ${name}`,
        ...(title === undefined ? {} : { title: `${from}: ${title}` }),
      })),
    );
    return { resources };
  };
  const template = new ResourceTemplate('toolwright://resources/{server}/{+uri}', { list });
  server.registerResource('server-resources', template, {}, (uri, _variables, context) =>
    answerOrFail(() => read(uri.href, (context as ServerContext).mcpReq.signal), uri.href),
  );
  serveTemplates(server, { open, user });
}

const OWN_TEMPLATES = [
  { uriTemplate: 'toolwright://servers/{+path}', name: 'server-files', title: 'Modules and types of servers' },
  {
    uriTemplate: 'toolwright://resources/{server}/{+uri}',
    name: 'server-resources',
    title: 'Resources of servers',
  },
];

/** Serves the templates of the servers after ours. */
function serveTemplates({ server }: McpServer, { open, user }: ContextCaller): void {
  server.setRequestHandler('resources/templates/list', () =>
    answerOrFail(async () => {
      const lists = await (await open()).context.resources({ userId: user });
      const templates = lists.flatMap(({ server: from, templates: own }) =>
        own.map(({ uriTemplate, name, ...more }) => ({
          ...more,
          uriTemplate: publicTemplate(from, uriTemplate),
          name: `${from}: ${name}`,
        })),
      );
      return { resourceTemplates: [...OWN_TEMPLATES, ...templates] };
    }),
  );
}
