import { parseExact } from '@toolwright/sandbox/internal';
import type { RawResult } from '../connector.ts';
import { excerpt } from '../content/excerpt.ts';
import { isNestedDeeperThan } from '../content/json-values.ts';
import { textValue } from '../content/text-value.ts';
import { ToolwrightError } from '../errors.ts';
import { retryAfterMs } from '../network/retry.ts';
import type { ApiAnswer } from './request.ts';

/** Maximum nesting of JSON in an answer. */
const MAX_DEPTH = 1_000;
/** Maximum characters of the data in the details of an error. */
const MAX_DETAILS_CHARACTERS = 16_000;
const TEXT = /^text\/|\bxml\b|\byaml\b|\bjavascript\b|^application\/(?:x-www-form-urlencoded|x-ndjson|graphql)\b/;
const JSON_TYPE = /^(?:application|text)\/json$|\+json$/;

/** Returns the data of an answer: parsed JSON, text, `null` without a body, or a content block of MCP for bytes. */
export function answerValue(server: string, tool: string, answer: ApiAnswer): unknown {
  const { bytes, status } = answer;
  const mimeType = mimeTypeOf(answer);
  if (bytes.length === 0) return null;
  if (JSON_TYPE.test(mimeType)) {
    try {
      const value = parseExact(decoded(answer));
      if (!isNestedDeeperThan(value, MAX_DEPTH)) return value;
    } catch {
      // Reported below.
    }
    const text = `${server} answered ${tool} with HTTP ${status} and text that is no JSON of at most ${MAX_DEPTH} levels.`;
    throw new ToolwrightError('UPSTREAM_PROTOCOL', text, { details: { server, tool } });
  }
  if (TEXT.test(mimeType)) return decoded(answer);
  if (mimeType === '' && isText(bytes)) return textValue(bytes.toString());
  return bytesBlock(answer, mimeType || 'application/octet-stream');
}

/** Returns the whole result, for programs that ask for it: `_meta.http` has the status and the headers. */
export function answerResult(value: unknown, { status, headers }: ApiAnswer): RawResult {
  const { 'set-cookie': _cookies, ...shown } = Object.fromEntries(headers);
  const isBlock =
    typeof value === 'object' && value !== null && 'type' in value && ('data' in value || 'resource' in value);
  return {
    content: isBlock ? [value] : typeof value === 'string' ? [{ type: 'text', text: value }] : [],
    structuredContent: isBlock || typeof value === 'string' ? undefined : value,
    _meta: { http: { status, headers: shown } },
  };
}

/** Returns the error for an answer without success. `redact` removes secrets from the text of the server. */
export function answerFailure(
  server: string,
  tool: string,
  answer: ApiAnswer,
  redact: (text: string) => string,
): ToolwrightError {
  const { status, headers, bytes } = answer;
  const mimeType = mimeTypeOf(answer);
  const isReadable = JSON_TYPE.test(mimeType) || TEXT.test(mimeType) || (mimeType === '' && isText(bytes));
  const body = isReadable ? redact(decoded(answer).trim()) : '';
  const data = body.length > MAX_DETAILS_CHARACTERS ? undefined : textValue(body);
  const hint = [advice(server, status), waitText(headers)].filter((part) => part !== undefined).join(' ');
  const text = `${server} answered ${tool} with HTTP ${status}${body === '' ? '.' : `: ${excerpt(body)}`}`;
  return new ToolwrightError('TOOL_FAILED', hint === '' ? text : `${text}\n${hint}`, {
    details: {
      server,
      tool,
      status,
      structuredContent: typeof data === 'object' && data !== null ? data : undefined,
    },
  });
}

function advice(server: string, status: number): string | undefined {
  return status === 401 ? `Check the credentials in mcpServers.${server}.auth.` : undefined;
}

function waitText(headers: Headers): string | undefined {
  const delayMs = retryAfterMs(headers);
  return delayMs === undefined ? undefined : `Retry in ${Math.ceil(delayMs / 1_000)} s.`;
}

function bytesBlock({ bytes, url }: ApiAnswer, mimeType: string): unknown {
  const data = bytes.toString('base64');
  const [, kind] = /^(image|audio)\//.exec(mimeType) ?? [];
  if (kind !== undefined) return { type: kind, data, mimeType };
  return { type: 'resource', resource: { uri: url.origin + url.pathname, mimeType, blob: data } };
}

function mimeTypeOf({ headers }: ApiAnswer): string {
  return (headers.get('content-type') ?? '').split(';', 1).join('').trim().toLowerCase();
}

function decoded({ headers, bytes }: ApiAnswer): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]+)/i.exec(headers.get('content-type') ?? '') ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString();
  }
}

function isText(bytes: Buffer): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0');
  } catch {
    return false;
  }
}
