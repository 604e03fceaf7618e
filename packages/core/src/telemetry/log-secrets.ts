/** What stands where a secret was. */
export const REDACTED = '[redacted]';

/** Fields that hold secrets, whatever is in them. */
const SECRET_FIELDS = [
  'authorization',
  'Authorization',
  'proxy-authorization',
  'cookie',
  'Cookie',
  'set-cookie',
  'x-api-key',
  'X-API-Key',
  'apiKey',
  'api_key',
  'token',
  'accessToken',
  'access_token',
  'password',
  'secret',
];
/** Objects of which every field may be a secret: upstreams are given keys in headers and environments of any name. */
const SECRET_OBJECTS = ['headers', 'env'];
/** How deep in a line secrets are looked for by their names: one of ours is no deeper. */
const DEPTHS = ['', '*.', '*.*.'];

/** Paths for pino's `redact`. */
export const SECRET_PATHS: string[] = DEPTHS.flatMap((above) => [
  ...SECRET_FIELDS.map((name) => (above === '' ? `["${name}"]` : `${above.slice(0, -1)}["${name}"]`)),
  ...SECRET_OBJECTS.map((name) => `${above}${name}.*`),
]);

/** Secrets that are known by their looks, and what stays of each. None goes beyond the string of JSON that it is in. */
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/\b(twk_[0-9a-f]{16})_[0-9a-f]{8,}/g, `$1_${REDACTED}`],
  [/\b(Bearer|Basic) +[^\s"\\,]+/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, REDACTED],
  [/(:\/\/)[^\s"\\/@]+@/g, `$1${REDACTED}@`],
];

/** Takes keys, tokens and the credentials of URLs out of a text. */
export function withoutSecrets(text: string): string {
  return SECRET_TEXTS.reduce((redacted, [pattern, rest]) => redacted.replace(pattern, rest), text);
}
