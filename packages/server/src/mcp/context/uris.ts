const SCHEME = 'toolwright://resources/';
/** Hosts show only views with this scheme (MCP Apps). */
const VIEW_SCHEME = 'ui://toolwright/';
const EXPRESSION = /\{[^{}]*\}/g;

/** A resource of a server. */
export interface ServerUri {
  readonly server: string;
  /** The server's own URI. */
  readonly uri: string;
}

/**
 * Returns the URI of a server's resource in our lists: `toolwright://resources/SERVER/URI`, with both percent-encoded. A view has
 * `ui://toolwright/` in front. No server can claim a URI of another one, or of Toolwright.
 */
export function publicUri({ server, uri }: ServerUri): string {
  const scheme = uri.startsWith('ui://') ? VIEW_SCHEME : SCHEME;
  return `${scheme}${encodeURIComponent(server)}/${encodeURIComponent(uri)}`;
}

/** Returns the template of a server in the same form. Its expressions stay. */
export function publicTemplate(server: string, template: string): string {
  const fixed = template.split(EXPRESSION).map(encodeURIComponent);
  const expressions = template.match(EXPRESSION) ?? [];
  return `${SCHEME}${encodeURIComponent(server)}/${fixed.map((part, index) => `${part}${expressions[index] ?? ''}`).join('')}`;
}

/** Returns the server and its own URI or template; undefined for other URIs. */
export function serverUri(uri: string): ServerUri | undefined {
  const scheme = [SCHEME, VIEW_SCHEME].find((prefix) => uri.startsWith(prefix));
  if (scheme === undefined) return undefined;
  const [server = '', ...rest] = uri.slice(scheme.length).split('/');
  try {
    const own = decodeURIComponent(rest.join('/'));
    if (scheme === VIEW_SCHEME && !own.startsWith('ui://')) return undefined;
    return server === '' || own === '' ? undefined : { server: decodeURIComponent(server), uri: own };
  } catch {
    return undefined;
  }
}
