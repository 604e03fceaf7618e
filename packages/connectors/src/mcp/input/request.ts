import { ToolwrightError } from '../../errors.ts';
import type { FormField, FormSchema, InputDetails } from '../../input.ts';
import { isLoopbackHost } from '../../network/addresses.ts';

/** Maximum characters of the message of a question. */
const MAX_MESSAGE_CHARACTERS = 4_000;
/** Maximum characters of a URL. */
const MAX_URL_CHARACTERS = 2_000;
/** Maximum characters of the schema of a form as JSON. */
const MAX_SCHEMA_CHARACTERS = 32_000;
/** Maximum characters of the messages for a model as JSON. */
const MAX_SAMPLING_CHARACTERS = 400_000;
const MAX_FIELDS = 50;
const FIELD_NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,100}$/u;
const FIELD_TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array']);

/** A request of a server, as it comes on a connection or within an `input_required` result. */
export interface ServerRequest {
  readonly method?: unknown;
  readonly params?: unknown;
}

/** Words of a name or a title that ask for a secret. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  'password passwords passwd passphrase passcode pwd secret secrets token tokens pin cvv cvc otp credential credentials apikey'.split(
    ' ',
  ),
);
/** Pairs of words that do. */
const SECRET_PAIRS =
  /\b(?:api|private|access|secret|recovery) (?:key|code|phrase)\b|\b(?:card|account) number\b|\bsecurity code\b/;
/** A sentence that asks for one. */
const SECRET_REQUEST =
  /\b(?:enter|type|provide|give|confirm|paste|submit|send|share)\b[^.!?\n]{0,60}\b(?:passwords?|passphrase|passcode|api[ -]?key|access token|private key|secret key|recovery (?:code|phrase)|pin)\b/i;

const NEGATION = /\b(?:not|never|without|no)\b|n['’]t\b/i;

/**
 * Reads a question of a server. Raises `TOOL_FAILED` for one that is not valid or too long, or asks for a secret in a form. A form
 * passes through clients, journals and logs.
 */
export function readInputRequest(server: string, { method, params }: ServerRequest): InputDetails {
  if (method === 'roots/list') return { server, mode: 'roots' };
  if (method === 'sampling/createMessage') return samplingOf(server, Object(params));
  if (method !== 'elicitation/create') throw refused(server, `a request "${shortened(String(method))}" is unknown`);
  const { mode = 'form', message, url, requestedSchema } = Object(params);
  if (typeof message !== 'string') throw refused(server, 'its message is missing');
  if (message.length > MAX_MESSAGE_CHARACTERS)
    throw refused(server, `its message is longer than ${MAX_MESSAGE_CHARACTERS} characters`);
  if (mode === 'url') return { server, mode, message, url: checkedUrl(server, url) };
  if (mode !== 'form') throw refused(server, `its mode "${shortened(String(mode))}" is unknown`);
  return { server, mode, message, requestedSchema: formOf(server, message, requestedSchema) };
}

function samplingOf(server: string, params: Readonly<Record<string, unknown>>): InputDetails {
  const { _meta: _ignored, ...request } = params;
  if (!Array.isArray(request.messages)) throw refused(server, 'it has no messages');
  const { length } = JSON.stringify(request);
  if (length > MAX_SAMPLING_CHARACTERS)
    throw refused(server, `its messages are longer than ${MAX_SAMPLING_CHARACTERS} characters`);
  return { server, mode: 'sampling', params: request };
}

function checkedUrl(server: string, url: unknown): string {
  if (typeof url !== 'string' || url.length > MAX_URL_CHARACTERS || !URL.canParse(url))
    throw refused(server, `its URL is not valid, or longer than ${MAX_URL_CHARACTERS} characters`);
  const { protocol, hostname, username, password, href } = new URL(url);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackHost(hostname)))
    throw refused(server, `its URL has the scheme "${protocol}", and only https: can be opened`);
  if (username !== '' || password !== '') throw refused(server, 'its URL has a user name or a password');
  return href;
}

function formOf(server: string, message: string, schema: unknown): FormSchema {
  const { type, properties, required } = Object(schema);
  if (type !== 'object' || typeof properties !== 'object' || properties === null || Array.isArray(properties))
    throw refused(server, 'the schema of its form is not an object with properties');
  const { length } = JSON.stringify(schema);
  if (length > MAX_SCHEMA_CHARACTERS)
    throw refused(server, `the schema of its form is longer than ${MAX_SCHEMA_CHARACTERS} characters`);
  const fields = Object.entries(properties);
  if (fields.length > MAX_FIELDS)
    throw refused(server, `its form has ${fields.length} fields, and the most is ${MAX_FIELDS}`);
  for (const [name, field] of fields) {
    if (!FIELD_NAME.test(name))
      throw refused(server, 'the name of a field is longer than 100 characters or has hidden ones');
    const { type: fieldType, items } = Object(field);
    if (!FIELD_TYPES.has(fieldType) || (fieldType === 'array' && typeof items !== 'object'))
      throw refused(server, `the field "${shortened(name)}" is not a string, a number, a boolean or a choice`);
  }
  const isList = Array.isArray(required) && required.every((name) => Object.hasOwn(properties, name));
  if (required !== undefined && !isList) throw refused(server, 'its required fields are not fields of the form');
  const secret = secretField(message, properties as Record<string, FormField>);
  if (secret !== undefined) {
    const where = secret === 'message' ? 'its message' : `the field "${shortened(secret)}"`;
    throw refused(
      server,
      `${where} asks for a secret. Secrets do not belong in a form: the server must ask in URL mode, or receive them in its configuration`,
    );
  }
  return { type, properties, required } as FormSchema;
}

/** Returns the error of a question that nobody is asked. */
export function refused(server: string, problem: string): ToolwrightError {
  const message = `The question of ${server} was refused: ${problem}. Nobody was asked.`;
  return new ToolwrightError('TOOL_FAILED', message, { details: { server } });
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Returns the field of a form that asks for a password or another secret, or `message`; undefined if none does. */
export function secretField(message: string, fields: Readonly<Record<string, FormField>>): string | undefined {
  for (const [name, field] of Object.entries(fields)) {
    const { title, description, format, writeOnly } = field;
    const isSecret =
      format === 'password' ||
      writeOnly === true ||
      namesSecret(name) ||
      (typeof title === 'string' && namesSecret(title)) ||
      (typeof description === 'string' && requestsSecret(description));
    if (isSecret) return name;
  }
  return requestsSecret(message) ? 'message' : undefined;
}

function requestsSecret(text: string): boolean {
  return text.split(/[.!?;\n()]/).some((part) => SECRET_REQUEST.test(part) && !NEGATION.test(part));
}

function namesSecret(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u);
  return words.some((word) => SECRET_WORDS.has(word)) || SECRET_PAIRS.test(words.join(' '));
}
