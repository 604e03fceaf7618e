import { readFile, stat } from 'node:fs/promises';
import { messageOf, ToolwrightError } from '../../errors.ts';
import { isUrl } from '../api/urls.ts';
import { type ApiDocument, openDocument } from './document.ts';

/** Maximum bytes of a description. */
export const MAX_DESCRIPTION_BYTES: number = 64 * 1024 * 1024;
/** Maximum bytes of a description in YAML. Its parser needs much more time and memory than that of JSON. */
const MAX_YAML_BYTES = 8 * 1024 * 1024;
/** Aliases of YAML that one description may use. More may be an attempt to fill the memory. */
const MAX_ALIASES = 1_000;
const VERSION = /^(?:2\.0|3\.[01]\.\d.*)$/;

/** Reads a file. Raises `CONFIG_INVALID` for a file that cannot be read, or is too large. */
export async function readDescriptionFile(server: string, path: string, limit: number): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size <= limit) return await readFile(path);
    throw invalid(server, path, `has ${size} bytes, the limit is ${limit}`);
  } catch (error) {
    if (error instanceof ToolwrightError) throw error;
    throw invalid(server, path, `cannot be read: ${messageOf(error)}`);
  }
}

/** Reads the bytes of a description in JSON or YAML. Raises `CONFIG_INVALID` for anything but Swagger 2.0, OpenAPI 3.0 and 3.1. */
export async function parseDescription(server: string, source: string, bytes: Buffer): Promise<ApiDocument> {
  const start = bytes
    .subarray(0, 1_000)
    .toString()
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (/^<(?:!doctype|html|\?xml)/i.test(start))
    throw invalid(server, source, 'is a page in HTML or XML, not a description');
  const document = start.startsWith('{') ? readJson(server, source, bytes) : await readYaml(server, source, bytes);
  const version = document.get(['openapi']) ?? document.get(['swagger']);
  if (typeof version !== 'string' || !VERSION.test(version)) {
    const has =
      version === undefined ? 'has no member "openapi" or "swagger"' : `has the version ${JSON.stringify(version)}`;
    throw invalid(server, source, `${has}; Toolwright reads Swagger 2.0, OpenAPI 3.0 and 3.1`);
  }
  return document;
}

function readJson(server: string, source: string, bytes: Buffer): ApiDocument {
  try {
    return openDocument(bytes[0] === 0xef ? bytes.subarray(3) : bytes);
  } catch (error) {
    throw invalid(server, source, `is ${messageOf(error)}`);
  }
}

async function readYaml(server: string, source: string, bytes: Buffer): Promise<ApiDocument> {
  if (bytes.length > MAX_YAML_BYTES) {
    const text = `has ${bytes.length} bytes of YAML, the limit is ${MAX_YAML_BYTES}. Convert it to JSON, whose limit is ${MAX_DESCRIPTION_BYTES}`;
    throw invalid(server, source, text);
  }
  const { parse } = await import('yaml');
  let json: string | undefined;
  try {
    json = JSON.stringify(parse(bytes.toString(), { maxAliasCount: MAX_ALIASES, logLevel: 'silent' }));
  } catch (error) {
    const [reason = ''] = messageOf(error).split('\n');
    throw invalid(server, source, `is no valid YAML: ${reason.replace(/:$/, '')}`);
  }
  if (json === undefined || !json.startsWith('{')) throw invalid(server, source, 'is no object in JSON or YAML');
  return readJson(server, source, Buffer.from(json));
}

/** Creates the error for a description that cannot be used. */
export function invalid(server: string, source: string, problem: string): ToolwrightError {
  return new ToolwrightError('CONFIG_INVALID', `${server}: the description ${shown(source)} ${problem}.`);
}

function shown(source: string): string {
  if (!isUrl(source)) return source;
  const { origin, pathname } = new URL(source);
  return origin + pathname;
}
