import type { ProtocolError } from '@modelcontextprotocol/client';
import { excerpt } from '../excerpt.ts';
import { isRecord, readError } from './envelope.ts';

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

/** Returns the message of an error with its data, which often have the reason. */
export function wordsOfError({ message, data }: Pick<ProtocolError, 'message' | 'data'>): string {
  if (data === undefined || data === null || typeof data === 'symbol') return message;
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  if (text === undefined || text === '' || text === '{}' || text === '[]' || message.includes(text)) return message;
  return `${message}: ${excerpt(text, MAX_CHARACTERS)}`;
}

/** Returns the reason in the body of a refusal; an empty text for none. */
export function wordsOfBody(body: string): string {
  const text = body.trim();
  if (/^<(?:!doctype|html|\?xml)/i.test(text)) {
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
    if (!isRecord(value)) return undefined;
    if (isRecord(value.error)) return wordsOfError(readError(value.error, () => undefined) as ProtocolError);
    const words = ['error', ...DESCRIPTIONS].map((name) => value[name]).filter((word) => typeof word === 'string');
    return words.length === 0 ? undefined : [...new Set(words)].join(': ');
  } catch {
    return undefined;
  }
}
