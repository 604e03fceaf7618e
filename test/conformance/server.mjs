// The MCP server of Toolwright with its own tools and the tools of the conformance suite. Prints its URL.
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequestStateCodec } from '@modelcontextprotocol/server';
import { stderrLogger } from '../../packages/core/build/telemetry/log.js';
import { createToolwright } from '../../packages/core/build/toolwright.js';
import { listen } from '../../packages/server/build/listen.js';
import { mcpServers } from '../../packages/server/build/mcp.js';
import { LOCAL_PRINCIPAL } from '../../packages/server/build/principal.js';
import { registerContents } from './fixtures/contents.mjs';
import { FORMS } from './fixtures/forms.mjs';
import { registerInputs } from './fixtures/inputs.mjs';
import { registerJobs, withJobs } from './fixtures/jobs.mjs';
import { registerPrompts } from './fixtures/prompts.mjs';
import { registerResources, registerSubscriptions } from './fixtures/resources.mjs';
import { registerRounds } from './fixtures/rounds.mjs';
import { registerSchemas } from './fixtures/schemas.mjs';

const logger = stderrLogger();
const stateKey = randomBytes(32);
// The tools of the suite sign their states like the tools of the server, which verifies all of them.
const codec = createRequestStateCodec({ key: stateKey, bind: () => LOCAL_PRINCIPAL.user });
const toolwright = await createToolwright({ dataDir: mkdtempSync(join(tmpdir(), 'toolwright-conformance-')), logger });
const serverOf = mcpServers({ open: async () => toolwright, logger, stateKey: () => stateKey, tasksOf: withJobs });

/** Creates our MCP server with the tools of the suite. */
async function suiteServer(context) {
  const server = await serverOf(context);
  server.server.registerCapabilities({ tools: { listChanged: true } });
  serveRegistered(server);
  registerContents(server);
  registerInputs(server, FORMS);
  registerRounds(server, codec);
  registerResources(server);
  registerPrompts(server);
  registerSchemas(server);
  if (context.era === 'legacy') registerSubscriptions(server);
  else registerJobs(server);
  for (const kind of ['tool', 'prompt']) {
    server.registerTool(`test_trigger_${kind}_change`, { description: 'Announces a change' }, () => {
      listening.notify[`${kind}sChanged`]();
      return { content: [{ type: 'text', text: 'announced' }] };
    });
  }
  return server;
}

/**
 * Lets the SDK serve the tools that are registered from now on, in addition to our own. Our server answers lists and calls of tools by
 * itself, without the SDK's validation.
 */
function serveRegistered(server) {
  const methods = ['tools/list', 'tools/call'];
  const [ownList, ownCall] = methods.map((method) => server.server._getRequestHandler(method));
  for (const method of methods) server.server.removeRequestHandler(method);
  server._toolHandlersInitialized = false;
  server.setToolRequestHandlers();
  const [list, call] = methods.map((method) => server.server._getRequestHandler(method));
  server.server._requestHandlers.set('tools/list', async (request, context) => {
    const [own, others] = await Promise.all([ownList(request, context), list(request, context)]);
    return { ...own, tools: [...own.tools, ...others.tools] };
  });
  server.server._requestHandlers.set('tools/call', (request, context) =>
    (server._registeredTools[request.params.name] ? call : ownCall)(request, context),
  );
}

const listening = await listen({
  toolwright,
  host: '127.0.0.1',
  port: Number(process.argv[2] ?? 0),
  logger,
  mcp: Object.assign(suiteServer, { follow: serverOf.follow, followLists: serverOf.followLists }),
});
console.log(`${listening.url}/mcp`);
