import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { outgoingFetch } from '@toolwright/connectors/internal';
import { AwsClient } from 'aws4fetch';
import { messageOf, type ToolwrightError } from '../errors.ts';
import { unavailable } from '../store.ts';

export interface S3Options {
  readonly bucket: string;
  /** The start of all keys, without `/` at its end. Default: none. */
  readonly prefix?: string;
  /** The address of compatible storage: `https://storage.example`. Default: that of AWS in the region. */
  readonly endpoint?: string;
  /** Default: `us-east-1`. */
  readonly region?: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  /** Milliseconds that one request may take until its answer begins. Default: 60,000. */
  readonly timeoutMs?: number;
}

/** The requests of one bucket. They reject with `STORE_UNAVAILABLE`. */
export interface S3 {
  /** Sends a request, and again after errors that pass. Returns undefined for a missing object if `isMissing` allows it. */
  send(method: string, name: string, request?: S3Request): Promise<Response | undefined>;
  /** Sends a request and returns its answer as text. */
  text(method: string, name: string, request?: S3Request): Promise<string>;
  /** Yields a body. A connection that ends early rejects. */
  contentOf(body: NonNullable<Response['body']>): AsyncIterable<Uint8Array>;
  failure(text: string, cause?: unknown): ToolwrightError;
}

interface S3Request {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly isMissing?: boolean;
}

const DEFAULT_REGION = 'us-east-1';
const DEFAULT_TIMEOUT_MS = 60_000;
const ATTEMPTS = 4;
const FIRST_RETRY_MS = 100;
/** What to do about an error, by its code. */
const FIXES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Create the bucket.',
  PermanentRedirect: 'Set the region of the bucket, or its endpoint.',
  TemporaryRedirect: 'Set the region of the bucket, or its endpoint.',
  AccessDenied: 'Allow the key to read, write, delete and list objects of the bucket.',
  InvalidAccessKeyId: 'Check AWS_ACCESS_KEY_ID.',
  SignatureDoesNotMatch: 'Check AWS_SECRET_ACCESS_KEY and the region.',
  ExpiredToken: 'Renew AWS_SESSION_TOKEN.',
  RequestTimeTooSkewed: 'Set the clock of this machine.',
};

/** Opens a bucket. Sends nothing yet. */
export function openS3(options: S3Options): S3 {
  const { bucket, region = DEFAULT_REGION, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const endpoint = options.endpoint ?? `https://s3.${region}.amazonaws.com`;
  const { accessKeyId, secretAccessKey, sessionToken } = options;
  const keys = { accessKeyId, secretAccessKey, sessionToken };
  const client = new AwsClient({ ...keys, service: 's3', region });
  const failure = (text: string, cause?: unknown) =>
    unavailable(`The bucket ${bucket} at ${new URL(endpoint).host} failed: ${text}`, cause);

  const attempt = async (method: string, url: URL, body: Buffer | undefined): Promise<Response> => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(new Error(`no answer after ${timeoutMs} ms`)), timeoutMs);
    try {
      const hash = createHash('sha256')
        .update(body ?? '')
        .digest('hex');
      const headers = { 'x-amz-content-sha256': hash };
      const signed = await client.sign(url.href, {
        method,
        headers,
        signal: timeout.signal,
        // Another address would receive the session token.
        redirect: 'manual',
        body: body === undefined ? undefined : new Uint8Array(body),
      });
      return await outgoingFetch(signed, { signal: timeout.signal });
    } finally {
      clearTimeout(timer);
    }
  };
  const send: S3['send'] = async (method, name, { query = {}, body, isMissing = false } = {}) => {
    const url = new URL(endpoint);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${bucket}/${name}`;
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    for (let tries = 1, waitMs = FIRST_RETRY_MS; ; tries++, waitMs *= 2) {
      const isLast = tries === ATTEMPTS;
      const response = await attempt(method, url, body).catch((error: unknown) => {
        if (isLast) throw failure(`${reasonOf(error)}. Check that it runs and that this machine reaches it.`, error);
      });
      if (response?.ok) return response;
      const text = (await response?.text().catch(() => '')) ?? '';
      const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? '';
      if (response?.status === 404 && isMissing && code !== 'NoSuchBucket') return undefined;
      const passes = response === undefined || response.status >= 500 || response.status === 429;
      if (response && (!passes || isLast))
        throw failure(`status ${response.status} ${code}. ${FIXES[code] ?? 'See the log of the storage.'}`);
      await sleep(waitMs);
    }
  };
  return {
    send,
    failure: (text, cause) => failure(`${text}.`, cause),
    text: async (method, name, request) => (await (await send(method, name, request))?.text()) ?? '',
    async *contentOf(body) {
      try {
        yield* body;
      } catch (error) {
        throw failure(`the connection ended during a download (${messageOf(error)}). Read the blob again.`, error);
      }
    },
  };
}

/** The message of `fetch` has no reason; its cause has it. */
function reasonOf(error: unknown): string {
  const { cause } = Object(error);
  return messageOf(cause instanceof Error && cause.message !== '' ? cause : error);
}
