import type { ProtocolError } from '@modelcontextprotocol/client';
import { excerpt } from '../../content/excerpt.ts';
import { isObject, parseJson } from '../../content/json-values.ts';
import { readError } from './envelope.ts';

/** Characters of the data of an error, and of the body of a refusal, in a message. */
const MAX_CHARACTERS = 2_000;
/** The members with which APIs describe an error. */
const DESCRIPTIONS = [
  'message',
  'error_description',
  'error_message',
  'detail',
  'details',
  'reason',
  'title',
  'description',
];

/** The members that name the wrong part of a request. */
const PLACES = ['field', 'parameter', 'param', 'argument', 'property', 'path', 'pointer'];

/**
 * Returns the message of an error with the words in its data, which often have the reason. Other data stay out: in a text, the redaction
 * could not see the names of their members.
 */
export function wordsOfError({ message, data }: ProtocolError): string {
  const words = typeof data === 'string' ? data : isObject(data) ? described(data) : '';
  if (words === '' || message.includes(words)) return message;
  return `${message}: ${excerpt(words, MAX_CHARACTERS)}`;
}

/** Returns the data of an error for its details, without configured secrets. Undefined for large data, and for none. */
export function dataOfError(data: unknown, redact: (text: string) => string): unknown {
  if (typeof data !== 'object' || data === null) return undefined;
  const text = JSON.stringify(data);
  if (text.length > MAX_CHARACTERS) return undefined;
  return parseJson(redact(text));
}

function described(data: Readonly<Record<string, unknown>>): string {
  const words = ['error', ...DESCRIPTIONS].map((name) => data[name]).filter((word) => typeof word === 'string');
  const places = PLACES.filter((name) => typeof data[name] === 'string').map((name) => `${name} ${data[name]}`);
  return [...new Set([...places, ...words])].join(': ');
}

/** Returns whether a text is a page for browsers, or XML. */
export function isPage(text: string): boolean {
  return /^\s*<(?:!doctype|!--|html|head|title|body|h1|\?xml)/i.test(text);
}

/** Returns the reason in the body of a refusal; an empty text for none. */
export function wordsOfBody(body: string): string {
  const text = body.trim();
  if (isPage(text)) {
    const [, title = ''] = /<(?:title|h1)[^>]*>\s*([^<]{1,200})/i.exec(text) ?? [];
    return title === '' ? 'an HTML page' : `an HTML page with the title "${title.trim()}"`;
  }
  return excerpt((wordsOfJson(text) ?? text).replace(/\s+/g, ' '), MAX_CHARACTERS);
}

function wordsOfJson(text: string): string | undefined {
  if (!/^[{"]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return value;
    if (!isObject(value)) return undefined;
    if (isObject(value.error)) return wordsOfError(readError(value.error, () => undefined) as ProtocolError);
    return described(value) || undefined;
  } catch {
    return undefined;
  }
}
