/** The replacement of a secret. */
export const REDACTED = '[redacted]';

/** Fields whose values are always secrets. */
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
/** Objects in which every field may be a secret: servers get keys in headers and variables with any name. */
const SECRET_OBJECTS = ['headers', 'env'];
/** The levels of a log line at which fields are redacted. No line of Toolwright is deeper. */
const DEPTHS = ['', '*.', '*.*.'];

/** Paths for pino's `redact`. */
export const SECRET_PATHS: string[] = DEPTHS.flatMap((above) => [
  ...SECRET_FIELDS.map((name) => (above === '' ? `["${name}"]` : `${above.slice(0, -1)}["${name}"]`)),
  ...SECRET_OBJECTS.map((name) => `${above}${name}.*`),
]);

/** Patterns of secrets, with their replacements. No pattern matches beyond the end of a JSON string. */
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/\b(twk_[0-9a-f]{16})_[0-9a-f]{8,}/g, `$1_${REDACTED}`],
  [/\b(Bearer|Basic) +[^\s"\\,]+/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, REDACTED],
  [/(:\/\/)[^\s"\\/@]+@/g, `$1${REDACTED}@`],
];

/** Redacts keys, tokens and the credentials of URLs in a text. */
export function withoutSecrets(text: string): string {
  return SECRET_TEXTS.reduce((redacted, [pattern, rest]) => redacted.replace(pattern, rest), text);
}
