import { ToolwrightError } from '../errors.ts';
import { type BlobEntry, type BlobStore, PAGE_BLOBS, piecesOf, requireBlobKey } from './blob.ts';
import { openS3, type S3, type S3Options } from './s3-requests.ts';

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
