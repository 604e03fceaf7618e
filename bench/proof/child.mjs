// Runs the programs of one variant in a Toolwright of its own, so that the benchmark can kill it. Takes requests over IPC.
// Arguments: the data folder, and as JSON the URLs of the tools and the variant. Server `tasks0` has the first URL.
import { createToolwright } from '../../packages/toolwright/dist/index.js';
import { agents } from '../tokens/agent.mjs';

const [dataDir, ...texts] = process.argv.slice(2);
const [urls, { sandbox, redaction, language }] = texts.map((text) => JSON.parse(text));
const toolwright = await createToolwright({
  ...{ dataDir, sandbox },
  mcpServers: Object.fromEntries(urls.map((url, index) => [`tasks${index}`, { url }])),
  // The processors may be busy with other things.
  limits: { timeoutMs: 600_000 },
  // A suspended program gives its sandbox back at once: the benchmark answers in the place of a person.
  waits: { graceMs: 0 },
  ...(redaction ? {} : { pii: { mode: 'off' } }),
});
await toolwright.tools({ waitMs: 60_000 });

const outcomeOf = ({ status, value, error, waitingFor }) => ({
  status,
  value,
  error: error && `${error.code}: ${error.message}`,
  waitingFor,
});

const actions = {
  /** In a session, whose personal data outlive the process. */
  run: async ({ id, code }) => {
    const { id: sessionId } = await toolwright.sessions.create();
    return outcomeOf(await toolwright.execute(code, { executionId: id, sessionId, language }));
  },
  resume: async ({ id }) => outcomeOf(await toolwright.executions.resume(id)),
  decide: async ({ id, decision }) => void (await toolwright.executions.decide(id, decision)),
  questions: async ({ id }) => toolwright.executions.questions(id),
  /** Returns the texts that a model reads before its first turn, and the signature of each tool. */
  texts: async ({ tools }) => {
    const client = await agents(toolwright).connect();
    const signatures = await Promise.all(tools.map((name) => toolwright.describe(`tasks0__${name}`, 'signature')));
    await client.close();
    const { definitions, searchDefinition, instructions } = client;
    return { definitions, searchDefinition, instructions, signatures };
  },
  close: () => toolwright.close(),
};

process.on('message', async ({ number, ...request }) => {
  try {
    process.send({ number, result: await actions[request.do](request) });
  } catch (error) {
    process.send({ number, error: `${error.code ?? 'ERROR'}: ${error.message}` });
  }
});
process.send({ number: 0 });
