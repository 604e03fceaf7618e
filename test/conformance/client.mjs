// The MCP client of Toolwright, which runs one scenario of the suite. The suite passes the URL as the last argument.
import { createSecretKey, randomBytes } from 'node:crypto';
import { createLogins } from '../../packages/core/build/logins/logins.js';
import { sealedCredentials } from '../../packages/core/build/logins/sealed-credentials.js';
import { memoryStore } from '../../packages/storage/build/store.js';

const { MCP_CONFORMANCE_CONTEXT = '{}', MCP_CONFORMANCE_PROTOCOL_VERSION } = process.env;
const protocol = MCP_CONFORMANCE_PROTOCOL_VERSION === '2026-07-28' ? 'modern' : 'legacy';
const context = JSON.parse(MCP_CONFORMANCE_CONTEXT);

/** Returns the arguments of a tool in scenarios; other tools have none. One of them echoes the schema of the other tool. */
const argumentsOf = (name, tools) =>
  ({
    add_numbers: { a: 5, b: 3 },
    valid_tool: { region: 'us-west1' },
    json_schema_echo: { schema: tools.find((tool) => tool.name !== name)?.inputSchema },
  })[name];
/** The document that the suite accepts as the id of a client. */
const CLIENT_METADATA_URL = 'https://conformance-test.local/client-metadata.json';

/** Returns the `oauth` object of the configuration that a user would write with the credentials of a scenario. */
function oauthSettings() {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  const { idp_token_endpoint: tokenUrl, idp_client_id: idpClientId, idp_id_token: idToken } = context;
  if (idToken) {
    return { grant: 'enterprise', clientId, clientSecret, idp: { tokenUrl, clientId: idpClientId, idToken } };
  }
  if (context.valid_jwt) return { grant: 'jwt_bearer', clientId, assertion: context.valid_jwt };
  if (privateKey) {
    return { grant: 'client_credentials', clientId, privateKey, keyAlgorithm: context.signing_algorithm };
  }
  const isOwnGrant = process.env.MCP_CONFORMANCE_SCENARIO?.startsWith('auth/client-credentials');
  if (clientId) return { ...(isOwnGrant ? { grant: 'client_credentials' } : {}), clientId, clientSecret };
  const isBound = process.env.MCP_CONFORMANCE_SCENARIO?.startsWith('auth/dpop') ?? false;
  return { clientMetadataUrl: CLIENT_METADATA_URL, ...(isBound ? { dpop: true } : {}) };
}

const sealingKey = { id: randomBytes(8), key: createSecretKey(randomBytes(32)) };
const keys = { current: async () => sealingKey, all: async () => [sealingKey] };
const { connect, logins } = createLogins(sealedCredentials(memoryStore(), keys), async () => 'data folder');
const config = { url: process.argv.at(-1), type: 'http', protocol, oauth: oauthSettings() };
const fill = async (_server, own) => own;
const connector = connect({ server: 'suite', config, fill }, { log: (line) => console.error(line) });

/** Logs in like a person: opens the link, and follows the redirect to the callback. */
async function logIn() {
  const { url } = await logins.start('suite');
  const response = await fetch(url, { redirect: 'manual' });
  const page = await fetch(response.headers.get('location'));
  console.error(await page.text());
}

/** Runs a request, and again after each login that it needs. */
async function withLogin(request) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request();
    } catch (error) {
      if (error.code !== 'AUTHORIZATION_REQUIRED' || attempt > 6) throw error;
      console.error(error.message);
      await logIn();
    }
  }
}

/** A person who accepts every form, and fills in the required fields that have no default. */
async function onInput({ details }) {
  const { properties = {}, required = [] } = details.requestedSchema ?? {};
  const empty = required.filter((name) => properties[name].default === undefined);
  return { action: 'answer', value: Object.fromEntries(empty.map((name) => [name, SAMPLES[properties[name].type]])) };
}
const SAMPLES = { string: 'Ann', number: 1, integer: 1, boolean: true };

try {
  const tools = await withLogin(() => connector.tools());
  const { toolCalls = tools.map(({ name }) => ({ name, arguments: argumentsOf(name, tools) })) } = context;
  for (const { name, arguments: args = {} } of toolCalls) {
    const send = () => connector.call(name, args, { onInput });
    const outcome = await withLogin(send).catch(({ code, message }) => ({ code, message }));
    console.error(name, JSON.stringify(outcome));
  }
} finally {
  await connector[Symbol.asyncDispose]();
}
