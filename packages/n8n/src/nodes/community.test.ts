import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createNodeCatalog } from '../catalogs/catalog.ts';
import type { CatalogContent } from '../catalogs/description.ts';
import { EXAMPLE_CATALOG } from '../catalogs/example/catalog.ts';
import { indexOf } from '../catalogs/index-file.ts';
import { n8nConnectors } from '../servers.ts';
import { type CommunityPackage, searchCommunityNodes } from './community.ts';

const PACKAGES = [
  { name: 'n8n-nodes-chat', version: '1.2.0', description: 'Send chat messages', license: 'MIT' },
  { name: '@acme/n8n-nodes-chat', version: '0.3.0', description: 'Chat of Acme' },
  { name: 'n8n-nodes-secret', version: '2.0.0', description: 'x'.repeat(300) },
];
const MANIFESTS: Readonly<Record<string, object>> = {
  '/@acme%2fn8n-nodes-chat/latest': { license: { type: 'Apache-2.0' } },
  '/n8n-nodes-secret/latest': { version: '2.0.0' },
};

/** Starts a registry until the end of the test. */
async function startRegistry(
  answer: (path: string) => unknown = answerOf,
): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const body = answer(path);
    response.statusCode = body === undefined ? 404 : 200;
    response.end(JSON.stringify(body ?? { error: 'Not found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, requests };
}

function answerOf(path: string): unknown {
  return path.startsWith('/-/v1/search?') ? { objects: PACKAGES.map((each) => ({ package: each })) } : MANIFESTS[path];
}

function nodesOf(registryUrl: string) {
  const [nodes] = n8nConnectors({ catalog: 'example', registryUrl });
  return (args: object) => nodes?.call('searchCommunityNodes', { ...args }) as Promise<CommunityPackage[]>;
}

it('finds packages of community nodes with the licence that they state', async () => {
  const { url, requests } = await startRegistry();
  const found = await nodesOf(url)({ query: 'chat & more', options: { limit: 3 } });
  expect(found).toEqual([
    { package: 'n8n-nodes-chat', version: '1.2.0', license: 'MIT', description: 'Send chat messages' },
    { package: '@acme/n8n-nodes-chat', version: '0.3.0', license: 'Apache-2.0', description: 'Chat of Acme' },
    { package: 'n8n-nodes-secret', version: '2.0.0', license: 'none', description: 'x'.repeat(160) },
  ]);
  const asked = new URL(requests[0] ?? '', url).searchParams;
  expect(Object.fromEntries(asked)).toEqual({
    text: 'keywords:n8n-community-node-package chat & more',
    size: '3',
  });
  // The search has the licence of the first package, and no package is downloaded.
  expect(requests.slice(1).sort()).toEqual(Object.keys(MANIFESTS).sort());
});

it('names the packages of an instance, and those that n8n verified', async () => {
  const { url } = await startRegistry();
  const [node] = EXAMPLE_CATALOG.nodes;
  const content: CatalogContent = {
    ...EXAMPLE_CATALOG,
    nodes: [...EXAMPLE_CATALOG.nodes, { ...(node as (typeof EXAMPLE_CATALOG.nodes)[0]), name: 'n8n-nodes-chat.chat' }],
    community: [
      { name: 'n8n-nodes-chat', isVerified: false, installed: '1.0.0' },
      { name: '@acme/n8n-nodes-chat', isVerified: true },
    ],
  };
  const catalog = createNodeCatalog(indexOf(content));
  expect(await searchCommunityNodes(url, { query: 'chat', limit: 3 }, catalog)).toMatchObject([
    { isVerified: false, installed: '1.0.0', types: ['n8n-nodes-chat.chat'] },
    { isVerified: true, installed: undefined, types: undefined },
    { isVerified: false, installed: undefined, types: undefined },
  ]);
});

it.each([
  ['does not answer', undefined, { code: 'UPSTREAM_UNAVAILABLE', message: /does not answer.*set n8n\.registryUrl/ }],
  ['has no search', (): unknown => undefined, { code: 'UPSTREAM_PROTOCOL', message: /has no search/ }],
  ['returns a text', (): unknown => 'hello', { code: 'UPSTREAM_PROTOCOL', message: /without a JSON object/ }],
] as const)('raises an error with the fix if the registry %s', async (_what, answer, { code, message }) => {
  const url = answer === undefined ? 'http://127.0.0.1:1' : (await startRegistry(answer)).url;
  await expect(nodesOf(url)({ query: 'chat' })).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});
