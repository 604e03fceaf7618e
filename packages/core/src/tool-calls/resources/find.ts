import type { ContextOptions, ContextSource, ListedResources } from '@toolwright/connectors';
import type { ServerContext, ServerContexts } from '../../catalog/server-contexts.ts';
import { messageOf, ToolwrightError } from '../../errors.ts';

/** A server and its resources. */
export interface ServerResources extends ListedResources {
  readonly server: string;
}

const NOTHING: ListedResources = { resources: [], templates: [] };

/**
 * Returns the resources of all servers, or of one. Calls `onProblem` for each server that could not list them; the error of a
 * named server is raised.
 */
export async function listResources(
  servers: ServerContexts,
  { server, ...options }: ContextOptions & { readonly server?: string | undefined },
  onProblem: (problem: string) => void,
): Promise<readonly ServerResources[]> {
  if (server !== undefined) {
    const { name, source } = servers.find(server);
    return [{ server: name, ...(source ? await source.resources(options) : NOTHING) }];
  }
  const lists = await Promise.all(
    servers.all().map(async ({ name, source }) => {
      try {
        return { server: name, ...(source ? await source.resources(options) : NOTHING) };
      } catch (error) {
        onProblem(`${name} could not list its resources: ${messageOf(error)}`);
        return { server: name, ...NOTHING };
      }
    }),
  );
  return lists.filter(({ resources, templates }) => resources.length + templates.length > 0);
}

/**
 * Returns the server of a resource: the named one, else the one that lists the URI, else the one with a template for it. Raises
 * `UNKNOWN_SERVER`, `NOT_SUPPORTED`, and `INVALID_ARGUMENTS` when no server or several servers have it.
 */
export async function serverOf(
  servers: ServerContexts,
  uri: string,
  { server, ...options }: ContextOptions & { readonly server?: string | undefined },
): Promise<ServerContext & { readonly source: ContextSource }> {
  if (server !== undefined) {
    const { source, ...named } = servers.find(server);
    if (source) return { ...named, source };
    throw new ToolwrightError('NOT_SUPPORTED', `The server "${named.name}" has no resources. Call its tools instead.`);
  }
  const lists = await listResources(servers, options, () => undefined);
  const exact = lists.filter(({ resources }) => resources.some((resource) => resource.uri === uri));
  const owners = exact.length > 0 ? exact : lists.filter(({ templates }) => templates.some(matches(uri)));
  const [owner] = owners;
  const found = servers.all().find(({ name }) => name === owner?.server);
  if (found?.source && owners.length === 1) return { ...found, source: found.source };
  const names = owners.map((each) => each.server).join(', ');
  const message = owner
    ? `Several servers have this resource: ${names}. Name one: read_resource(uri, { server }).`
    : 'No server lists this resource. Take a URI of list_resources(), or name its server: read_resource(uri, { server }).';
  throw new ToolwrightError('INVALID_ARGUMENTS', message);
}

/** Returns whether a template (RFC 6570) may have made a URI: its fixed parts occur in their order. */
function matches(uri: string): (template: { readonly uriTemplate: string }) => boolean {
  return ({ uriTemplate }) => {
    const [start = '', ...parts] = uriTemplate.split(/\{[^{}]*\}/);
    if (parts.length === 0 || !uri.startsWith(start)) return false;
    let at = start.length;
    for (const part of parts) {
      const found = uri.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at === uri.length || parts.at(-1) === '';
  };
}
