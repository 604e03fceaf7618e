import type { ServerConfig } from '@toolwright/connectors';
import * as z from 'zod';
import { HEADER_VALUE, isHeaderValue } from './secrets/header-value.ts';
import { publicText, secretText, secretUrl } from './secrets/references.ts';
import { MAX_TIMER_MS } from './setting.ts';
import { type Environment, isHttpUrl } from './variables.ts';

/** The key of a server's entry that decides its kind. */
export type ServerKind = 'command' | 'url' | 'openapi' | 'graphql';

/** Keys that decide the kind of a server's entry. */
export const KIND_KEYS: readonly ServerKind[] = ['command', 'url', 'openapi', 'graphql'];

const milliseconds = z.int().positive().max(MAX_TIMER_MS);
const toolFilter = z.strictObject({ allow: z.array(z.string()), deny: z.array(z.string()) }).partial();

const shared = {
  description: z.string().optional(),
  timeoutMs: milliseconds.optional(),
  maxTimeoutMs: milliseconds.optional(),
  startTimeoutMs: milliseconds.optional(),
  alwaysLoad: z.boolean().optional(),
  // Copilot writes a plain list of the allowed tools.
  tools: z.preprocess((value) => (Array.isArray(value) ? { allow: value } : value), toolFilter).optional(),
};
const questions = z
  .strictObject({ elicitation: z.boolean(), sampling: z.boolean(), roots: z.boolean() })
  .partial()
  .optional();
const protocol = z.enum(['auto', 'legacy', 'modern']).optional();

/** Names of Streamable HTTP in other clients. */
const HTTP_TYPE_NAMES: ReadonlyMap<string, 'http'> = new Map([
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
]);
const httpType = z.preprocess((type) => HTTP_TYPE_NAMES.get(String(type)) ?? type, z.enum(['http', 'sse'])).optional();

/** Headers of the connection and of the protocol, which no client may set. */
const PROTOCOL_HEADERS =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-.*|accept|accept-.*|origin|referer|last-event-id|proxy-.*|sec-.*|mcp-.*)$/;
/** Headers by which clients log in to Toolwright: no server may receive them. */
const LOGIN_HEADERS = /^(?:authorization|x-api-key|cookie)$/;
const MAX_FORWARDED = 16;

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** A list of names, or the names of the client's headers by those that the server gets. */
const forwardHeaders = z
  .union([z.array(z.string()), z.record(z.string(), z.string())], 'expected a list of names of headers')
  .transform((given) => (Array.isArray(given) ? given.map((name) => [name, name]) : Object.entries(given)))
  .transform((pairs) => pairs.map(([to = '', from = '']) => [to.toLowerCase(), from.toLowerCase()] as const))
  .superRefine((pairs, context) => {
    const problem = forwardProblem(pairs);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .transform((pairs) => Object.fromEntries(pairs));

function forwardProblem(pairs: readonly (readonly [to: string, from: string])[]): string | undefined {
  if (pairs.length === 0 || pairs.length > MAX_FORWARDED) return `expected 1 to ${MAX_FORWARDED} names of headers`;
  const wrong = pairs.flat().find((name) => !HEADER_NAME.test(name) || name.length > 100);
  if (wrong !== undefined)
    return `${JSON.stringify(wrong.slice(0, 50))} is no name of a header: use letters, digits and "-"`;
  const own = pairs.flat().find((name) => PROTOCOL_HEADERS.test(name));
  if (own !== undefined)
    return `"${own}" belongs to the connection and is never forwarded. Use a header of your own, such as "x-tenant"`;
  const login = pairs.find(([, from]) => LOGIN_HEADERS.test(from));
  if (login) {
    const [to, from] = login;
    return `"${from}" is the client's login to Toolwright and is never forwarded. Let clients send a header of their own: { "${to}": "x-server-token" }`;
  }
  const names = pairs.map(([to]) => to);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `names "${twice}" twice`;
}

type Text = z.ZodType<string, string>;

/** Accepts a number or a truth value in place of its text, as other clients do. A number that JSON cannot hold exactly is refused. */
function written(text: Text): Text {
  return z.preprocess(
    (value) => (typeof value === 'boolean' || (typeof value === 'number' && isExact(value)) ? String(value) : value),
    text,
  ) as unknown as Text;
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

const ENTRY_KEYS = ['enabled', 'disabled', 'type'];

/** Returns the known keys of a server's entry, for "did you mean". */
export function serverKeys(entry: Readonly<Record<string, unknown>>): readonly string[] {
  const kind = KIND_KEYS.find((key) => entry[key] !== undefined);
  const shapes = serverShapes({}, []);
  if (kind === 'openapi' || kind === 'graphql') return [...ENTRY_KEYS, ...Object.keys(shapes[kind])];
  return [...ENTRY_KEYS, ...KIND_KEYS, ...Object.keys(shapes.command), ...Object.keys(shapes.url)];
}

/**
 * Creates the schema of one server's entry. It fills `${VAR}` references from `env` while parsing, and keeps references to
 * secrets of these `sources`.
 */
export function serverSchema(env: Environment, kind: ServerKind, sources: readonly string[]): z.ZodType<ServerConfig> {
  const schema = z.object(serverShapes(env, sources)[kind]).superRefine((server, context) => {
    const { forwardHeaders: forwarded, oauth } = server as {
      readonly forwardHeaders?: unknown;
      readonly oauth?: unknown;
    };
    if (forwarded === undefined || oauth === undefined || oauth === false) return;
    const message = 'a server with "forwardHeaders" has no logins. Remove one of the two';
    context.addIssue({ code: 'custom', path: ['oauth'], message });
  });
  return schema as unknown as z.ZodType<ServerConfig>;
}

function serverShapes(env: Environment, sources: readonly string[]) {
  const text = publicText(env);
  const secret = secretText(env, sources);
  const filled = text.refine((value) => value !== '', 'must not be empty');
  const publicUrl = text.refine(isHttpUrl, 'expected an http:// or https:// URL');
  const secrets = z.record(z.string(), written(secret)).optional();
  const headers = z
    .record(z.string(), written(secret).refine(isHeaderValue, HEADER_VALUE))
    .superRefine((given, context) => {
      for (const name of Object.keys(given)) {
        if (!HEADER_NAME.test(name))
          context.addIssue({
            code: 'custom',
            path: [name],
            message: 'is no name of a header: use letters, digits and "-"',
          });
      }
    })
    .optional();
  const api = { ...shared, headers, auth: authSchema(text, secret, publicUrl).optional() };
  return {
    command: {
      ...shared,
      protocol,
      questions,
      command: filled,
      args: z.array(written(text)).optional(),
      env: secrets,
      envFile: filled.optional(),
      cwd: filled.optional(),
    },
    url: {
      ...shared,
      protocol,
      questions,
      url: secretUrl(env, sources),
      headers,
      forwardHeaders: forwardHeaders.optional(),
      type: httpType,
      oauth: oauthSchema(text, secret),
    },
    openapi: {
      ...api,
      openapi: filled,
      baseUrl: publicUrl.optional(),
      variables: z.record(z.string(), written(text)).optional(),
    },
    graphql: { ...api, graphql: publicUrl, schema: filled.optional() },
  };
}

/** Returns the schema of the credentials for an API. */
function authSchema(text: Text, anySecret: Text, url: Text) {
  const secret = anySecret.refine((value) => value !== '', 'must not be empty');
  return z.discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('bearer'), token: secret }),
      z.strictObject({ type: z.literal('basic'), username: anySecret, password: anySecret }),
      z.strictObject({
        type: z.literal('apiKey'),
        value: secret,
        in: z.enum(['header', 'query', 'cookie']).optional(),
        name: secret.optional(),
      }),
      z.strictObject({
        type: z.literal('oauth2'),
        clientId: secret,
        clientSecret: secret,
        tokenUrl: url.optional(),
        scopes: z.array(text).optional(),
        parameters: z.record(z.string(), anySecret).optional(),
      }),
    ],
    'expected an object with the "type" "bearer", "basic", "apiKey" or "oauth2"',
  );
}

/** Returns the schema of the OAuth client of a server. */
function oauthSchema(text: Text, anySecret: Text) {
  const secret = anySecret.refine((value) => value !== '', 'must not be empty');
  const settings = z
    .strictObject({
      grant: z.enum(['authorization_code', 'client_credentials', 'jwt_bearer', 'enterprise']),
      clientId: secret,
      clientSecret: secret,
      privateKey: secret,
      keyAlgorithm: z.enum(['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA']),
      assertion: secret,
      idp: z.strictObject({ tokenUrl: text, clientId: secret, clientSecret: secret.optional(), idToken: secret }),
      clientMetadataUrl: text.refine(
        (url) => URL.canParse(url) && /^https:.+\/./.test(url),
        'expected an https:// URL with a path',
      ),
      scopes: z.array(text),
      resource: z.literal(false),
      callbackPort: z.int().min(1).max(65_535),
      dpop: z.boolean(),
    })
    .partial()
    .superRefine(({ grant, clientId, clientSecret, privateKey, assertion, idp }, context) => {
      const need = (key: string) =>
        context.addIssue({ code: 'custom', path: [key], message: `the grant ${grant} needs it` });
      if (grant === 'client_credentials' && clientId === undefined) need('clientId');
      if (grant === 'client_credentials' && clientSecret === undefined && privateKey === undefined)
        need('clientSecret');
      if (grant === 'jwt_bearer' && assertion === undefined) need('assertion');
      if (grant === 'enterprise' && idp === undefined) need('idp');
      if (grant === 'enterprise' && clientId === undefined) need('clientId');
    });
  return z.union([z.literal(false), settings], 'expected false, or an object').optional();
}
