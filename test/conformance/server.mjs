// The MCP server of Toolwright with its own tools and the tools of the conformance suite. Prints its URL.
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequestStateCodec, McpServer } from '@modelcontextprotocol/server';
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
  const suite = suiteTools(server);
  registerContents(suite);
  registerInputs(suite, FORMS);
  registerRounds(suite, codec);
  registerResources(server);
  registerPrompts(server);
  registerSchemas(suite);
  if (context.era === 'legacy') registerSubscriptions(server);
  else registerJobs(suite);
  for (const kind of ['tool', 'prompt']) {
    suite.registerTool(`test_trigger_${kind}_change`, { description: 'Announces a change' }, () => {
      listening.notify[`${kind}sChanged`]();
      return { content: [{ type: 'text', text: 'announced' }] };
    });
  }
  return server;
}

/**
 * Returns a server of the SDK for the tools of the suite. Our server lists them with its own, and passes calls of them on: it answers
 * lists and calls of tools by itself, without the SDK's validation.
 */
function suiteTools({ server }) {
  const suite = new McpServer({ name: 'suite', version: '1' }, { capabilities: { tools: {} } });
  const names = new Set();
  const register = suite.registerTool.bind(suite);
  suite.registerTool = (name, ...rest) => {
    names.add(name);
    return register(name, ...rest);
  };
  const handlers = (each, method) => each._getRequestHandler(method);
  const ownList = handlers(server, 'tools/list');
  const ownCall = handlers(server, 'tools/call');
  server._requestHandlers.set('tools/list', async (request, context) => {
    const [own, others] = await Promise.all([
      ownList(request, context),
      handlers(suite.server, 'tools/list')(request, context),
    ]);
    return { ...own, tools: [...own.tools, ...others.tools] };
  });
  server._requestHandlers.set('tools/call', (request, context) =>
    (names.has(request.params.name) ? handlers(suite.server, 'tools/call') : ownCall)(request, context),
  );
  return suite;
}

const listening = await listen({
  toolwright,
  host: '127.0.0.1',
  port: Number(process.argv[2] ?? 0),
  logger,
  mcp: Object.assign(suiteServer, { follow: serverOf.follow, followLists: serverOf.followLists }),
});
console.log(`${listening.url}/mcp`);
