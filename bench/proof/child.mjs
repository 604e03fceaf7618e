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
  // All servers have the same tools. Comparing them is most of a start, and the benchmark starts often.
  pin: 'off',
  ...(redaction ? {} : { pii: { mode: 'off' } }),
});
await toolwright.tools({ waitMs: 60_000 });
// All programs are of one session, whose guests are used again, and whose personal data outlive this process.
const [session = await toolwright.sessions.create()] = await toolwright.sessions.list();

const outcomeOf = ({ status, value, error, waitingFor }) => ({
  status,
  value,
  error: error && `${error.code}: ${error.message}`,
  waitingFor,
});

const actions = {
  run: async ({ id, code }) =>
    outcomeOf(await toolwright.execute(code, { executionId: id, sessionId: session.id, language })),
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
// Without the benchmark, nobody needs the programs.
process.on('disconnect', () => process.exit());
process.send({ number: 0 });
