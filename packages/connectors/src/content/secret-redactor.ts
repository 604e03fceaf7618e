import type { McpServerConfig } from '../servers/server-config.ts';

/** Shorter values occur too often in ordinary text. */
const MIN_SECRET_LENGTH = 6;

/** Returns a function that redacts configured values that may be secret: environment, headers, query, credentials. */
export function secretRedactor(config: McpServerConfig): (text: string) => string {
  const secrets = secretsOf(config);
  return (text) => redactSecrets(text, secrets);
}

/** Replaces secrets in a text, the longest first. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length)
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), text);
}

function secretsOf(config: McpServerConfig): string[] {
  if ('command' in config) return Object.values(config.env ?? {});
  const url = new URL(config.url);
  // Of `Authorization: Bearer token`, servers quote the token only.
  const headers = Object.values(config.headers ?? {}).flatMap((value) => [value, ...value.split(' ')]);
  return [...headers, ...url.searchParams.values(), url.search, url.username, url.password];
}
