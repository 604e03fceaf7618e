import { createHash } from 'node:crypto';
import type { ServerConfig } from './server-config.ts';

/**
 * Returns a hash of the identity of a configured server: its command with arguments and folder, or its address. Environment, headers and
 * credentials are not a part of it, so that a new token is no new server.
 */
export function serverKeyOf(config: ServerConfig): string {
  return createHash('sha256')
    .update(JSON.stringify(placeOf(config)))
    .digest('base64url');
}

function placeOf(config: ServerConfig): unknown[] {
  if ('command' in config) return ['command', config.command, config.args ?? [], config.cwd ?? null];
  if ('url' in config) return ['url', address(config.url)];
  if ('graphql' in config) return ['graphql', address(config.graphql)];
  const { openapi, baseUrl = '', variables = {} } = config;
  return ['openapi', address(openapi), address(baseUrl), Object.entries(variables).sort()];
}

/** Returns a URL without user and password; a path as it is. */
function address(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return url.href;
}
