// Cloudflare's codemode with its executor, in the local runtime of Workers. A worker calls the tools through this process, which has the
// connection to the server. It needs Node 22.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { build } from 'esbuild';
import { asyncDialect } from '../jobs.mjs';
import { transportOf } from '../transport.mjs';

const LONG_MS = 120_000;
const WORKER = `
import { DynamicWorkerExecutor } from '@cloudflare/codemode';
export default {
  async fetch(request, env) {
    const { code, timeout, tools } = await request.json();
    const call = (name) => async (args) => {
      const response = await env.HOST.fetch('http://host/' + name, { method: 'POST', body: JSON.stringify(args ?? {}) });
      return response.json();
    };
    const executor = new DynamicWorkerExecutor({ loader: env.LOADER, timeout });
    const fns = Object.fromEntries(tools.map((name) => [name, call(name)]));
    return Response.json(await executor.execute(code, [{ name: 'codemode', fns }]));
  },
};`;

export async function open(server, { folder }) {
  const require = createRequire(`${folder}/package.json`);
  const { Miniflare, Response } = require('miniflare');
  const { generateTypesFromJsonSchema } = await typesOf(folder);
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transportOf(server));
  const { tools } = await client.listTools();
  const miniflare = new Miniflare({
    modules: true,
    script: await bundle(WORKER, folder),
    compatibilityDate: '2026-01-01',
    compatibilityFlags: ['nodejs_compat'],
    workerLoaders: { LOADER: {} },
    serviceBindings: {
      async HOST(request) {
        const name = new URL(request.url).pathname.slice(1);
        const { content } = await client.callTool({ name, arguments: await request.json() }, { timeout: LONG_MS });
        return Response.json(content[0]?.text ?? null);
      },
    },
  });
  const names = tools.map(({ name }) => name);
  return {
    dialect: asyncDialect((tool, given) => `codemode.${tool}(${given})`),
    async run(code, timeout) {
      const body = JSON.stringify({ code: `async () => { ${code} }`, timeout, tools: names });
      const response = await miniflare.dispatchFetch('http://bench/', { method: 'POST', body });
      const { result, error } = await response.json();
      if (error !== undefined) throw new Error(error);
      return result;
    },
    shown: () => generateTypesFromJsonSchema(Object.fromEntries(tools.map(({ name, ...tool }) => [name, tool]))),
    async close() {
      await miniflare.dispose();
      await client.close();
    },
  };
}

/** Bundles a module with the installed packages. */
async function bundle(contents, resolveDir, more = {}) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    ...{ bundle: true, write: false, format: 'esm', target: 'es2022', logLevel: 'silent' },
    external: ['cloudflare:*', 'node:*'],
    conditions: ['workerd', 'worker', 'import'],
    ...more,
  });
  return outputFiles[0].text;
}

/** Returns the functions of codemode that need no worker. */
async function typesOf(folder) {
  const contents = "export { generateTypesFromJsonSchema } from '@cloudflare/codemode';";
  const file = join(folder, 'types.mjs');
  writeFileSync(file, await bundle(contents, folder, { external: ['node:*'], plugins: [STUB] }));
  return import(file);
}

/** Stands for the module that only workers have. */
const STUB = {
  name: 'stub',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: 'stub' }));
    const contents = 'export class RpcTarget {} export class DurableObject {} export class WorkerEntrypoint {}';
    onLoad({ filter: /./, namespace: 'stub' }, () => ({ contents }));
  },
};
