import { invalidDescription as invalid, MAX_DESCRIPTION_BYTES } from '../../api/description-file.ts';
import { messageOf } from '../../errors.ts';
import { type ApiDocument, openDocument } from './document.ts';

/** Maximum bytes of a description in YAML. Its parser needs much more time and memory than that of JSON. */
const MAX_YAML_BYTES = 8 * 1024 * 1024;
/** Aliases of YAML that one description may use. More may be an attempt to fill the memory. */
const MAX_ALIASES = 1_000;
const VERSION = /^(?:2\.0|3\.[01]\.\d.*)$/;

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
  const { parse } = await import('@toolwright/sandbox/yaml');
  let json: string | undefined;
  try {
    json = JSON.stringify(parse(bytes.toString(), { maxAliasCount: MAX_ALIASES, logLevel: 'error' }));
  } catch (error) {
    const [reason = ''] = messageOf(error).split('\n');
    throw invalid(server, source, `is no valid YAML: ${reason.replace(/:$/, '')}`);
  }
  if (json === undefined || !json.startsWith('{')) throw invalid(server, source, 'is no object in JSON or YAML');
  return readJson(server, source, Buffer.from(json));
}
