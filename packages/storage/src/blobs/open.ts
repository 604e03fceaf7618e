import { join } from 'node:path';
import { ToolwrightError } from '../errors.ts';
import type { BlobStore } from './blob.ts';
import { folderBlobs } from './folder.ts';
import { postgresBlobs } from './postgres.ts';
import { s3Blobs } from './s3.ts';

/**
 * Opens the place of blobs that a text names. Raises `CONFIG_INVALID` for any other text.
 * - `folder`: a folder of the data folder, for one machine.
 * - A `postgres://` URL.
 * - `s3://bucket/prefix?region=…&endpoint=https://…`, with the keys of `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.
 */
export function openBlobs(name: string, dataDir: string, environment: NodeJS.ProcessEnv = process.env): BlobStore {
  if (name === 'folder') return folderBlobs({ path: join(dataDir, 'blobs') });
  if (/^postgres(ql)?:\/\//.test(name)) return postgresBlobs({ url: name });
  if (!/^s3:\/\/[a-z\d][a-z\d.-]+/.test(name)) {
    const message = `Unknown place of blobs "${name.slice(0, 40)}". Use folder, s3://bucket/prefix, or postgres://user@host:5432/database.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    const message = `The bucket of "${name.slice(0, 60)}" needs keys. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const url = new URL(name);
  const endpoint = url.searchParams.get('endpoint');
  const region = url.searchParams.get('region') ?? AWS_REGION;
  return s3Blobs({
    bucket: url.hostname,
    prefix: url.pathname.slice(1),
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN || undefined,
    endpoint: endpoint || undefined,
    region: region || undefined,
  });
}
