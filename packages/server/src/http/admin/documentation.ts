import { createHash } from 'node:crypto';
import type { HttpApi } from '../api.ts';

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: unknown }>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const STYLE =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}' +
  'code,pre{font:14px/1.4 ui-monospace,monospace}pre{overflow:auto;padding:.75rem;border:1px solid #8886}' +
  'h2{margin-top:2.5rem;border-top:1px solid #8886;padding-top:1rem}b{display:inline-block;min-width:4.5rem}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Adds `/openapi.json`, and `/docs`: the same for people, in one page that loads nothing. Call it after all routes. */
export function addDocumentation(api: HttpApi, version: string): void {
  /** The bodies, made once: a client may ask for them thousands of times in a second. */
  let made: { readonly json: Buffer<ArrayBuffer>; readonly html: Buffer<ArrayBuffer> } | undefined;
  const bodies = () => {
    if (made !== undefined) return made;
    const document = api.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Toolwright',
        version,
        description: 'Tasks, programs and tools over HTTP. Every error is application/problem+json (RFC 9457).',
        license: { name: 'MIT' },
      },
      servers: [{ url: '/' }],
    });
    made = { json: Buffer.from(JSON.stringify(document)), html: Buffer.from(page(document)) };
    return made;
  };
  api.get('/openapi.json', (context) => context.body(bodies().json, 200, { 'content-type': 'application/json' }));
  api.get('/docs', (context) => {
    const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
    return context.body(bodies().html, 200, {
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy': policy,
    });
  });
}

function page({ info, paths = {}, components }: ReturnType<HttpApi['getOpenAPI31Document']>): string {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Readonly<Record<string, Operation>>).map(([method, operation]) =>
      section(method.toUpperCase(), path, operation),
    ),
  );
  const schemas = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) =>
      `<h3 id="${asText(name)}">${asText(name)}</h3><pre>${asText(JSON.stringify(schema, null, 2))}</pre>`,
  );
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${asText(info.title)}</title>` +
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>` +
    `<h1>${asText(info.title)} ${asText(info.version)}</h1><p>${asText(info.description ?? '')} ` +
    `<a href="/openapi.json">OpenAPI</a></p>${operations.join('')}<h2>Types</h2>${schemas.join('')}</body></html>`
  );
}

function section(method: string, path: string, operation: Operation): string {
  const { summary = '', description, parameters = [], requestBody, responses } = operation;
  const rows = [
    ...parameters.map(({ name, in: place, required }) => `${place} ${name}${required ? '' : ' (optional)'}`),
    ...Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => `body ${type} ${nameOf(schema)}`),
    ...Object.entries(responses).map(([status, { description }]) => `${status}: ${description}`),
  ];
  return (
    `<h2><code><b>${asText(method)}</b> ${asText(path)}</code></h2><p>${asText(summary)}.</p>` +
    `${description ? `<p>${asText(description)}</p>` : ''}<ul>${rows.map((row) => `<li>${asText(row)}</li>`).join('')}</ul>`
  );
}

function nameOf(schema: unknown): string {
  const { $ref } = (schema ?? {}) as { readonly $ref?: string };
  return $ref?.split('/').at(-1) ?? '';
}

function asText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
