import type {
  CompletionRequest,
  CompletionValues,
  ContextSource,
  PromptDefinition,
  PromptMessages,
  ResourceContents,
} from '@toolwright/connectors';
import { type Tool, toolId } from '@toolwright/connectors';
import type { Redactor } from '@toolwright/pii/internal';
import type { Catalog } from '../catalog/catalog.ts';
import { ALL_TOOLS, type ProfileOptions } from '../catalog/profiles/profile.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import { DEFAULT_USER } from '../owner-name.ts';
import type { SessionRedactors } from '../sessions/redactors.ts';
import type { Policy } from '../tool-calls/policy/create-policy.ts';
import { policyDenied } from '../tool-calls/policy/policy.ts';
import { UnredactedError } from '../tool-calls/redaction/unredacted-error.ts';
import { listResources, type ServerResources } from '../tool-calls/resources/find.ts';
import { RESOURCE_TOOLS } from '../tool-calls/resources/tools.ts';

/** The user of a request about resources or prompts, and the signal that ends it. */
export interface ContextRequest extends ProfileOptions {
  /** Default: `local`. */
  readonly userId?: string;
  readonly signal?: AbortSignal;
}

/** The prompts of a server. */
export interface ServerPrompts {
  readonly server: string;
  readonly prompts: readonly PromptDefinition[];
}

/**
 * Resources and prompts of servers, for interfaces. Texts are redacted with the placeholders of the user's executions without a
 * session, and arguments may have such placeholders. A server that cannot list counts as empty.
 */
export interface ServerContextApi {
  /** Returns the resources and templates of all servers that have any, or of one. Raises `UNKNOWN_SERVER`. */
  resources(options?: ContextRequest & { readonly server?: string }): Promise<readonly ServerResources[]>;
  /** Returns whether any server has resources or templates now. Servers that cannot list them have none. */
  hasResources(options?: ContextRequest): Promise<boolean>;
  /**
   * Reads a resource: a read-only call of `server__resources/read` for the policy. Raises `POLICY_DENIED`, also for a rule that
   * asks, `TOOL_FAILED`, and the other errors of servers.
   */
  read(server: string, uri: string, options?: ContextRequest): Promise<readonly ResourceContents[]>;
  /** Calls `onUpdate` for each update. Resolves to a function that ends the subscription. Raises `NOT_SUPPORTED`. */
  subscribe(server: string, uri: string, onUpdate: () => void, options?: ContextRequest): Promise<() => Promise<void>>;
  /** Returns the prompts of all servers that have any, or of one. Raises `UNKNOWN_SERVER`, and the error of a named server. */
  prompts(options?: ContextRequest & { readonly server?: string }): Promise<readonly ServerPrompts[]>;
  /** Fills a prompt: a read-only call of `server__prompts/get` for the policy. Raises the errors of {@link read}. */
  getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    options?: ContextRequest,
  ): Promise<PromptMessages>;
  /** Suggests values for an argument of a prompt or a template. */
  complete(server: string, request: CompletionRequest, options?: ContextRequest): Promise<CompletionValues>;
  /** Calls `listener` when a list of a server may have changed, also of servers that are added later. Returns a function that removes the listener. */
  onChanged(listener: (list: 'resources' | 'prompts') => void): () => void;
}

export interface ServerContextOptions {
  readonly catalog: Catalog;
  readonly redactors: SessionRedactors;
  readonly policy: Policy;
}

/** Creates the resources and prompts of a Toolwright. */
export function createServerContext({ catalog, redactors, policy }: ServerContextOptions): ServerContextApi {
  const openFor = async ({ userId = DEFAULT_USER, signal, profile }: ContextRequest = {}) => ({
    userId,
    redactor: await redactors.of({ userId }),
    options: { userId, signal },
    servers: catalog.forProfile(profile).forUser(userId).contexts,
  });

  /** Sends a request that the policy allows, and redacts its answer or error. */
  const ask = async <T>(
    server: string,
    method: string,
    args: Readonly<Record<string, unknown>>,
    request: ContextRequest | undefined,
    send: (source: ContextSource, args: Readonly<Record<string, unknown>>, options: ContextRequest) => Promise<T>,
  ): Promise<T> => {
    const { userId, redactor, options, servers } = await openFor(request);
    const { name, source } = servers.find(server);
    if (!source) throw new ToolwrightError('NOT_SUPPORTED', `The server "${name}" has no resources and prompts.`);
    const tool = requestTool(name, method);
    const { args: restored } = await redactor.restoreArguments(args, { server: name, tool: tool.id });
    const { action, rule } = policy.decide({ tool, arguments: restored, userId });
    if (action !== 'allow') throw policyDenied(tool, rule);
    try {
      const answer = await send(source, restored, options);
      return (await redactor.redactResult(answer, { server: name })).guestValue as T;
    } catch (error) {
      throw await redacted(error, redactor, name);
    }
  };
  return {
    async resources({ server, ...request } = {}) {
      const { redactor, options, servers } = await openFor(request);
      const lists = await listResources(servers, { server, ...options }, () => undefined);
      return Promise.all(
        lists.map(async ({ server: from, ...list }) => {
          const { guestValue } = await redactor.redactResult(list, { server: from });
          return { server: from, ...(guestValue as typeof list) };
        }),
      );
    },
    async hasResources(request) {
      const { options, servers } = await openFor(request);
      return (await listResources(servers, options, () => undefined)).length > 0;
    },
    read: (server, uri, request) =>
      ask(server, 'resources/read', { uri }, request, (source, args, options) =>
        source.readResource(String(args.uri), options),
      ),
    subscribe: (server, uri, onUpdate, request) => subscribe(openFor, policy, { server, uri, onUpdate, request }),
    async prompts({ server, ...request } = {}) {
      const { redactor, options, servers } = await openFor(request);
      const wanted = server === undefined ? servers.all() : [servers.find(server)];
      const lists = await Promise.all(
        wanted.map(async ({ name, source }) => {
          const listing = source?.prompts(options) ?? [];
          const prompts = await (server === undefined ? Promise.resolve(listing).catch(() => []) : listing);
          const { guestValue } = await redactor.redactResult(prompts, { server: name });
          return { server: name, prompts: guestValue as typeof prompts };
        }),
      );
      return lists.filter(({ prompts }) => prompts.length > 0);
    },
    getPrompt: (server, name, given, request) =>
      ask(server, 'prompts/get', { name, arguments: given }, request, (source, args, options) =>
        source.getPrompt(name, args.arguments as typeof given, options),
      ),
    complete: (server, wanted, request) =>
      ask(server, 'completion/complete', { ...wanted }, request, (source, args, options) =>
        source.complete(args as unknown as CompletionRequest, options),
      ),
    onChanged: (listener) => catalog.forProfile(ALL_TOOLS).forUser(DEFAULT_USER).contexts.onChanged(listener),
  };
}

type Open = (request?: ContextRequest) => Promise<{
  readonly userId: string;
  readonly redactor: Redactor;
  readonly options: ContextRequest;
  readonly servers: ReturnType<Catalog['forUser']>['contexts'];
}>;

async function subscribe(
  open: Open,
  policy: Policy,
  {
    server,
    uri,
    onUpdate,
    request,
  }: {
    readonly server: string;
    readonly uri: string;
    readonly onUpdate: () => void;
    readonly request: ContextRequest | undefined;
  },
): Promise<() => Promise<void>> {
  const { userId, redactor, options, servers } = await open(request);
  const { name, source } = servers.find(server);
  if (!source) throw new ToolwrightError('NOT_SUPPORTED', `The server "${name}" has no resources.`);
  const tool = requestTool(name, 'resources/subscribe');
  const { args } = await redactor.restoreArguments({ uri }, { server: name, tool: tool.id });
  const { action, rule } = policy.decide({ tool, arguments: args, userId });
  if (action !== 'allow') throw policyDenied(tool, rule);
  return source.subscribe(String(args.uri), onUpdate, options);
}

/** Returns a request as a read-only tool of its server, for the policy. */
function requestTool(server: string, method: string): Tool {
  const definition = RESOURCE_TOOLS[method] ?? {
    name: method,
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true, idempotentHint: true },
  };
  return { id: toolId(server, method), server, definition };
}

async function redacted(thrown: unknown, redactor: Redactor, server: string): Promise<unknown> {
  const error = thrown instanceof UnredactedError ? thrown.error : thrown;
  if (!(error instanceof ToolwrightError)) return error;
  const { guestValue } = await redactor.redactResult(messageOf(error), { server });
  return new ToolwrightError(error.code, String(guestValue));
}
