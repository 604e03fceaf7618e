import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { outgoingFetch } from '@toolwright/connectors/internal';
import { AwsClient } from 'aws4fetch';
import { messageOf, ToolwrightError } from '../errors.ts';
import { unavailable } from '../store.ts';
import { type BlobEntry, type BlobStore, PAGE_BLOBS, piecesOf, requireBlobKey } from './blob.ts';

interface S3Options {
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
interface S3 {
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

/** A content up to this size is one request; a longer one has parts of it. S3 requires 5 MB at least, and 10,000 parts at most. */
const PART_BYTES = 8 * 1024 * 1024;
const MAX_DELETES = 16;

/** Keeps blobs in a bucket of S3 or of compatible storage. */
export function s3Blobs(options: S3Options): BlobStore {
  const s3 = openS3(options);
  const start = options.prefix === undefined || options.prefix === '' ? '' : `${options.prefix.replace(/\/$/, '')}/`;
  const nameOf = (key: string) => start + requireBlobKey(key);
  let isClosed = false;
  const checkOpen = () => {
    if (isClosed) throw new ToolwrightError('CLOSED', 'This store is closed.');
  };
  return {
    name: 's3',
    async put(key, content) {
      checkOpen();
      return upload(s3, nameOf(key), piecesOf(content, PART_BYTES));
    },
    async get(key) {
      checkOpen();
      const response = await s3.send('GET', nameOf(key), { isMissing: true });
      if (!response?.body) return undefined;
      return { bytes: Number(response.headers.get('content-length')), content: s3.contentOf(response.body) };
    },
    async delete(keys) {
      checkOpen();
      const names = keys.map(nameOf);
      for (let at = 0; at < names.length; at += MAX_DELETES)
        await Promise.all(
          names.slice(at, at + MAX_DELETES).map((name) => s3.text('DELETE', name, { isMissing: true })),
        );
    },
    async *list(prefix) {
      checkOpen();
      let token: string | undefined;
      do {
        const query = { 'list-type': '2', 'max-keys': String(PAGE_BLOBS), prefix: start + prefix };
        const xml = await s3.text('GET', '', {
          query: { ...query, ...(token ? { 'continuation-token': token } : {}) },
        });
        const page = entriesOf(xml).map(({ key, bytes }) => ({ key: key.slice(start.length), bytes }));
        if (page.length > 0) yield page;
        token = /<IsTruncated>true</.test(xml) ? tagOf(xml, 'NextContinuationToken') : undefined;
      } while (token !== undefined);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
    },
  };
}

async function upload(s3: S3, name: string, pieces: AsyncGenerator<Buffer>): Promise<number> {
  const first: Buffer = (await pieces.next()).value ?? Buffer.alloc(0);
  if (first.length < PART_BYTES) {
    await s3.text('PUT', name, { body: first });
    return first.length;
  }
  return uploadParts(s3, name, first, pieces);
}

async function uploadParts(s3: S3, name: string, first: Buffer, pieces: AsyncGenerator<Buffer>): Promise<number> {
  const created = await s3.text('POST', name, { query: { uploads: '' } });
  const uploadId = tagOf(created, 'UploadId') ?? '';
  try {
    const tags: string[] = [];
    let bytes = 0;
    for (let next: Buffer | undefined = first; next; next = (await pieces.next()).value) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      const response = await s3.send('PUT', name, { query, body: next });
      await response?.arrayBuffer();
      tags.push(response?.headers.get('etag') ?? '');
      bytes += next.length;
    }
    const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const answer = await s3.text('POST', name, { query: { uploadId }, body });
    // S3 may answer 200 before it has put the parts together, and report a failure in the body.
    if (/<Error>/.test(answer)) throw s3.failure(tagOf(answer, 'Message') ?? 'the upload was not completed');
    return bytes;
  } catch (error) {
    await s3.text('DELETE', name, { query: { uploadId }, isMissing: true }).catch(() => undefined);
    throw error;
  }
}

/** Keys of blobs have no character that XML escapes. */
function entriesOf(xml: string): BlobEntry[] {
  return [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, entry = '']) => ({
    key: tagOf(entry, 'Key') ?? '',
    bytes: Number(tagOf(entry, 'Size')),
  }));
}

function tagOf(xml: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
}

/** Opens a bucket. Sends nothing yet. */
function openS3(options: S3Options): S3 {
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
