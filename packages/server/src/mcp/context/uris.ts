const SCHEME = 'toolwright://resources/';
const EXPRESSION = /\{[^{}]*\}/g;

/** A resource of a server. */
export interface ServerUri {
  readonly server: string;
  /** The server's own URI. */
  readonly uri: string;
}

/**
 * Returns the URI of a server's resource in our lists: `toolwright://resources/SERVER/URI`, with both percent-encoded. No server
 * can claim a URI of another one, or of Toolwright.
 */
export function publicUri({ server, uri }: ServerUri): string {
  return `${SCHEME}${encodeURIComponent(server)}/${encodeURIComponent(uri)}`;
}

/** Returns the template of a server in the same form. Its expressions stay. */
export function publicTemplate(server: string, template: string): string {
  const fixed = template.split(EXPRESSION).map(encodeURIComponent);
  const expressions = template.match(EXPRESSION) ?? [];
  return `${SCHEME}${encodeURIComponent(server)}/${fixed.map((part, index) => `${part}${expressions[index] ?? ''}`).join('')}`;
}

/** Returns the server and its own URI or template; undefined for other URIs. */
export function serverUri(uri: string): ServerUri | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const [server = '', ...rest] = uri.slice(SCHEME.length).split('/');
  try {
    const own = decodeURIComponent(rest.join('/'));
    return server === '' || own === '' ? undefined : { server: decodeURIComponent(server), uri: own };
  } catch {
    return undefined;
  }
}
