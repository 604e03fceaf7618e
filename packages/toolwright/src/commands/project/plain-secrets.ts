import { isRecord } from '../../clients/entry.ts';

/** Names of variables and headers whose values are secrets. */
const NAME = /token|secret|passw|api[_-]?key|credential|private[_-]?key|^(proxy-)?authorization$/i;
/** Shorter values are words such as `none`. */
const MIN_SECRET_LENGTH = 8;

/** Returns the places of plain secrets in an entry of `mcpServers`, such as `env.GITHUB_TOKEN`. References are no secrets. */
export function plainSecrets(entry: unknown): string[] {
  const { env, headers } = isRecord(entry) ? entry : {};
  return Object.entries({ env, headers }).flatMap(([group, values]) =>
    Object.entries(isRecord(values) ? values : {})
      .filter(([name, value]) => NAME.test(name) && isPlain(value))
      .map(([name]) => `${group}.${name}`),
  );
}

/** Returns how to move a secret out of the configuration of a server. */
export function secretFix(server: string): string {
  return `store it with "toolwright servers secret ${server} < FILE", and write \${keychain:${server}} or \${VARIABLE} in its place`;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' && value.length >= MIN_SECRET_LENGTH && !value.includes('${');
}
