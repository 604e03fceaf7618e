// Two ways to run the programs of a case: in the whole product, or with the policy alone in this process.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolwright } from 'toolwright';
import { compileFlow, createPolicy, openOrigins, settingsSchema } from '../../packages/core/dist/internal.js';
import { languageWorkers } from '../../packages/sandbox/dist/internal.js';

const HINTS = {
  read: { readOnlyHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destroy: { readOnlyHint: false, destructiveHint: true },
};
const SANDBOXES = { typescript: 'quickjs', python: 'pyodide' };
const QUIET = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;

const annotationsOf = (kind, isHonest) => (isHonest ? HINTS[kind] : undefined);

/** Runs the programs of each case in a session of its own. A question ends the case. */
export async function productEngine({ tools, isHonest, policy }) {
  let current;
  const servers = {};
  for (const { server, name, description, inputSchema, kind } of tools) {
    servers[server] ??= { tools: {} };
    servers[server].tools[name] = {
      description,
      inputSchema,
      annotations: annotationsOf(kind, isHonest),
      run: (args) => {
        const tool = `${server}__${name}`;
        current.did.push({ tool, args });
        return current.answer(tool, args);
      },
    };
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'toolwright-origins-'));
  const toolwright = await createToolwright({
    dataDir,
    waits: { graceMs: 0 },
    logger: QUIET,
    tools: servers,
    policy,
  });
  let sessions = 0;
  return {
    async run(request, programs, answer) {
      current = { did: [], answer };
      const sessionId = `case-${++sessions}`;
      let last;
      for (const program of programs) {
        const { source, language } =
          typeof program === 'string' ? { source: program, language: 'typescript' } : program;
        const options = {
          language,
          sandbox: SANDBOXES[language],
          check: false,
          sessionId,
          createSession: true,
          request,
        };
        last = await toolwright.execute(source, options);
        if (last.status !== 'completed') break;
      }
      const asked = last.status === 'suspended' ? last.pending.map(({ tool, rule }) => ({ tool, rule })) : [];
      return { status: last.status, asked, error: last.error, did: current.did };
    },
    async close() {
      await toolwright.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

class Stopped extends Error {}

const flows = new Map();

/** Returns the flow of a program, once for each text. */
async function flowOfProgram({ source, language }) {
  const operation = language === 'python' ? 'pythonFlow' : 'typescriptFlow';
  const known = flows.get(source) ?? (await languageWorkers().run(operation, { source }, { tenant: '' })) ?? 'unknown';
  flows.set(source, known);
  return known === 'unknown' ? undefined : known;
}

/** Decides the calls of the same programs without a sandbox, journal or store. It runs the programs of this benchmark only. */
export function policyEngine({ tools, isHonest, policy }) {
  const compiled = createPolicy(settingsSchema.shape.policy.parse(policy));
  const known = new Map(
    tools.map(({ server, name, description, inputSchema, kind }) => {
      const id = `${server}__${name}`;
      const annotations = annotationsOf(kind, isHonest);
      return [id, { id, server, definition: { name, description, inputSchema, annotations } }];
    }),
  );
  const decisions = { count: 0, microseconds: 0, slowest: 0 };
  const decide = (origins, tool, args) => {
    const start = process.hrtime.bigint();
    const decision = compiled.decide({
      tool,
      arguments: args,
      userId: 'u',
      sessionId: 's',
      origins: origins.of(tool, args, args),
    });
    const time = Number(process.hrtime.bigint() - start) / 1000;
    decisions.count++;
    decisions.microseconds += time;
    decisions.slowest = Math.max(decisions.slowest, time);
    return decision;
  };
  /**
   * Runs one program. Returns the question that stopped it. Of a Python program, the policy gets the text and its flow: the program in
   * JavaScript with the same calls runs.
   */
  const runOne = async (program, { request, answer, did, isOwnProgram, noteSeen }) => {
    const { code, source, language } = typeof program === 'string' ? { code: program, source: program } : program;
    const flow = isOwnProgram ? await flowOfProgram({ source, language }) : undefined;
    const flowOf = compileFlow(flow, (server, name) => known.get(`${server}__${name}`)?.id);
    const origins = openOrigins({ rules: compiled.origins, request, source, isOwnProgram, flowOf, noteSeen });
    let asked;
    let calls = 0;
    const callMCPTool = async (id, args) => {
      const call = ++calls;
      const tool = known.get(id);
      if (tool === undefined) throw new Error(`no tool ${id}`);
      const plain = JSON.parse(JSON.stringify(args));
      const decision = decide(origins, tool, plain);
      if (decision.action !== 'allow') {
        asked = { tool: id, rule: decision.rule, action: decision.action };
        throw new Stopped();
      }
      did.push({ tool: id, args: plain });
      const data = structuredClone(answer(id, plain));
      await origins.received(call, tool, data);
      return data;
    };
    try {
      await new AsyncFunction('callMCPTool', code)(callMCPTool);
    } catch (error) {
      if (!(error instanceof Stopped)) return { error };
    }
    return { asked };
  };
  return {
    decisions,
    async run(request, programs, answer) {
      const did = [];
      let isOwnProgram = true;
      const noteSeen = async () => {
        isOwnProgram = false;
      };
      for (const code of programs) {
        const { asked, error } = await runOne(code, { request, answer, did, isOwnProgram, noteSeen });
        if (asked?.action === 'deny') return { status: 'failed', asked: [], error: asked.rule, did };
        if (asked) return { status: 'suspended', asked: [asked], did };
        if (error) return { status: 'failed', asked: [], error, did };
      }
      return { status: 'completed', asked: [], did };
    },
    close: () => undefined,
  };
}

/** Returns whether the request itself names each target of a call, or the call has none: origins cannot decide such a call. */
export function undecidable({ tools, policy }) {
  const compiled = createPolicy(settingsSchema.shape.policy.parse(policy));
  return ({ tool: id, args }, request) => {
    const { server, name, inputSchema } = tools.find((tool) => `${tool.server}__${tool.name}` === id);
    const tool = { id, server, definition: { name, inputSchema } };
    const { origins = [] } = compiled.explain({ tool, arguments: args, userId: 'u', sessionId: 's', request });
    return origins.every(({ isSuspicious }) => !isSuspicious);
  };
}
