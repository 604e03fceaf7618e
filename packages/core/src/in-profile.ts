import type { Toolwright } from './api.ts';
import { ToolwrightError } from './errors.ts';
import type { Executions } from './execution/executions.ts';
import { DEFAULT_USER } from './owner-name.ts';

/**
 * Returns a Toolwright as the clients of a profile use it. Other servers and tools are unknown to them. So are the executions of their user
 * that began with another profile. They choose no other profile, and change no servers. Works for any wrapped Toolwright.
 */
export function inProfile(toolwright: Toolwright, profile: string): Toolwright {
  const { context, logins, pins } = toolwright;
  const isOwnServer = async (name: string) =>
    (await toolwright.servers({ profile })).some((server) => server.name === name);
  const refuse = async (): Promise<never> => {
    throw new ToolwrightError('NOT_ALLOWED', `A client of the profile "${profile}" cannot change the servers.`);
  };
  return {
    ...toolwright,
    profile,
    profiles: () => toolwright.profiles().filter(({ name }) => name === profile),
    execute: (source, options) => toolwright.execute(source, { ...options, profile }),
    check: (source, options) => toolwright.check(source, { ...options, profile }),
    search: (query, options) => toolwright.search(query, { ...options, profile }),
    describe: (tool, detail, options) => toolwright.describe(tool, detail, { ...options, profile }),
    explain: (tool, options) => toolwright.explain(tool, { ...options, profile }),
    tools: (options) => toolwright.tools({ ...options, profile }),
    directTools: (options) => toolwright.directTools({ ...options, profile }),
    serverFiles: (language, userId) => toolwright.serverFiles(language, userId, { profile }),
    servers: (options) => toolwright.servers({ ...options, profile }),
    context: {
      resources: (options) => context.resources({ ...options, profile }),
      hasResources: (options) => context.hasResources({ ...options, profile }),
      read: (server, uri, options) => context.read(server, uri, { ...options, profile }),
      subscribe: (server, uri, onUpdate, options) => context.subscribe(server, uri, onUpdate, { ...options, profile }),
      prompts: (options) => context.prompts({ ...options, profile }),
      getPrompt: (server, name, args, options) => context.getPrompt(server, name, args, { ...options, profile }),
      complete: (server, request, options) => context.complete(server, request, { ...options, profile }),
      onChanged: context.onChanged,
    },
    logins: {
      ...logins,
      async start(server, options) {
        if (await isOwnServer(server)) return logins.start(server, options);
        const message = `The server "${server.slice(0, 100)}" is not in the profile "${profile}".`;
        throw new ToolwrightError('UNKNOWN_SERVER', message);
      },
      async list(options) {
        const names = new Set((await toolwright.servers({ profile })).map(({ name }) => name));
        return (await logins.list(options)).filter(({ server }) => names.has(server));
      },
    },
    pins: { ...pins, list: (options) => pins.list({ ...options, profile }), approve: refuse },
    executions: ownExecutions(toolwright.executions, profile),
    skills: (userId = DEFAULT_USER) => {
      const library = toolwright.skills(userId);
      return {
        ...library,
        async saveExecution(id, draft) {
          await requireOwn(toolwright.executions, profile, [id, userId]);
          return library.saveExecution(id, draft);
        },
      };
    },
    addServer: refuse,
    replaceServer: refuse,
    removeServer: refuse,
    reload: refuse,
  };
}

type Owned = readonly [id: string, userId: string | undefined];

/** Raises `UNKNOWN_EXECUTION` for an execution that began with another profile, as for one that never existed. */
async function requireOwn(executions: Executions, profile: string, [id, userId]: Owned): Promise<void> {
  if ((await executions.get(id, userId)).profile === profile) return;
  const shown = JSON.stringify(String(id).slice(0, 64));
  throw new ToolwrightError('UNKNOWN_EXECUTION', `There is no execution ${shown}. Pass the executionId of a result.`);
}

function ownExecutions(executions: Executions, profile: string): Executions {
  const isOwn = ({ profile: own }: { readonly profile?: string }) => own === profile;
  const own = async <T>(owned: Owned, use: () => Promise<T>): Promise<T> => {
    await requireOwn(executions, profile, owned);
    return use();
  };
  return {
    async list(filter) {
      const page = await executions.list(filter);
      return { ...page, executions: page.executions.filter(isOwn) };
    },
    async find(query) {
      // The number of all matches would count those of other profiles.
      const page = await executions.find({ ...query, total: false });
      return { ...page, executions: page.executions.filter(isOwn) };
    },
    async *scan(query) {
      for await (const part of executions.scan(query)) yield part.filter(isOwn);
    },
    async *changes(options) {
      for await (const change of executions.changes(options)) if (isOwn(change.execution)) yield change;
    },
    async *follow(options) {
      const known = new Map<string, boolean>();
      const isOwnId = async (id: string, userId: string) => {
        const found = known.get(id) ?? (await executions.get(id, userId).then(isOwn, () => false));
        known.set(id, found);
        return found;
      };
      for await (const batch of executions.follow(options)) {
        const shown = await Promise.all(batch.calls.map(({ executionId, userId }) => isOwnId(executionId, userId)));
        for (const { id, endedAt } of batch.executions) if (endedAt !== undefined) known.delete(id);
        yield {
          ...batch,
          executions: batch.executions.filter(isOwn),
          calls: batch.calls.filter((_calls, index) => shown[index]),
        };
      }
    },
    get: (id, userId, options) => own([id, userId], () => executions.get(id, userId, options)),
    file: (id, path, userId) => own([id, userId], () => executions.file(id, path, userId)),
    calls: (id, userId, page) => own([id, userId], () => executions.calls(id, userId, page)),
    journal: (id, userId, page) => own([id, userId], () => executions.journal(id, userId, page)),
    cancel: (id, userId) => own([id, userId], () => executions.cancel(id, userId)),
    remove: (id, userId) => own([id, userId], () => executions.remove(id, userId)),
    questions: (id, userId, options) => own([id, userId], () => executions.questions(id, userId, options)),
    decisions: (id, userId) => own([id, userId], () => executions.decisions(id, userId)),
    decide: (id, request) => own([id, request.userId], () => executions.decide(id, request)),
    resume: (id, options) => own([id, options?.userId], () => executions.resume(id, options)),
    fork: (id, options) => own([id, options.userId], () => executions.fork(id, options)),
    diff: (before, after, userId) =>
      own([before, userId], () => own([after, userId], () => executions.diff(before, after, userId))),
    exportTest: (id, userId) => own([id, userId], () => executions.exportTest(id, userId)),
    replay: (id, userId) => own([id, userId], () => executions.replay(id, userId)),
    continueExecutions: executions.continueExecutions,
  };
}
