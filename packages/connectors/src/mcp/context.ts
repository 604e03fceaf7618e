import type { Client } from '@modelcontextprotocol/client';
import type * as z from 'zod';
import { ToolwrightError } from '../errors.ts';
import type { ContextOptions, ContextSource, ListedResources } from '../resource.ts';
import { readPages } from './context/pages.ts';
import {
  completionSchema,
  contentsSchema,
  messagesSchema,
  promptSchema,
  resourceSchema,
  templateSchema,
} from './context/schemas.ts';
import { createSubscriptions } from './context/subscriptions.ts';
import { keepListening } from './tools/list-subscription.ts';

/** How the resources and prompts of an MCP server are requested. */
export interface McpContextOptions {
  readonly server: string;
  /** Milliseconds for one request. */
  readonly timeoutMs: number;
  /** Runs a request on the connection, which it opens if necessary. `label` names the request in errors. */
  readonly use: <T>(label: string, options: ContextOptions, work: (client: Client) => Promise<T>) => Promise<T>;
}

/** The resources and prompts of an MCP server. */
export interface McpContext extends ContextSource {
  /** Receives each new connection. */
  attach(client: Client): void;
}

/** Creates the source of resources and prompts of an MCP server. Lists are kept until the server announces a change. */
export function mcpContext({ server, timeoutMs, use }: McpContextOptions): McpContext {
  const listeners = new Set<(list: 'resources' | 'prompts') => void>();
  const subscriptions = createSubscriptions();
  const changed = (list: 'resources' | 'prompts') => {
    (list === 'resources' ? resources : prompts).forget();
    for (const listener of [...listeners]) listener(list);
  };
  const request = <T>(method: string, params: object, schema: z.ZodType<T>, options: ContextOptions): Promise<T> =>
    use(method, options, (client) =>
      client.request({ method, params } as never, schema as never, {
        timeout: timeoutMs,
        signal: options.signal,
      }),
    );

  const resources = kept(() =>
    use('resources/list', {}, async (client): Promise<ListedResources> => {
      if (client.getServerCapabilities()?.resources === undefined) return { resources: [], templates: [] };
      const list = { server, timeoutMs };
      return {
        resources: await readPages(client, { ...list, method: 'resources/list' }, resourceSchema),
        templates: await readPages(client, { ...list, method: 'resources/templates/list' }, templateSchema),
      };
    }),
  );
  const prompts = kept(() =>
    use('prompts/list', {}, async (client) =>
      client.getServerCapabilities()?.prompts === undefined
        ? []
        : readPages(client, { server, timeoutMs, method: 'prompts/list' }, promptSchema),
    ),
  );

  return {
    resources: resources.get,
    prompts: prompts.get,
    async readResource(uri, options = {}) {
      const { contents } = await request('resources/read', { uri }, contentsSchema, options);
      return contents.map(({ mimeType, ...part }) => (typeof mimeType === 'string' ? { ...part, mimeType } : part));
    },
    subscribe: (uri, onUpdate, options = {}) =>
      use('resources/subscribe', options, async (client) => {
        if (client.getServerCapabilities()?.resources?.subscribe !== true) throw noSubscriptions(server);
        return subscriptions.add(client, uri, onUpdate, timeoutMs);
      }),
    async getPrompt(name, args, options = {}) {
      const { description, messages } = await request(
        'prompts/get',
        { name, arguments: args },
        messagesSchema,
        options,
      );
      return { messages, description: typeof description === 'string' ? description : undefined };
    },
    complete: (wanted, options = {}) =>
      use('completion/complete', options, async (client) => {
        if (client.getServerCapabilities()?.completions === undefined) return { values: [] };
        const sent = { method: 'completion/complete', params: wanted };
        const { completion } = await client.request(sent as never, completionSchema, { timeout: timeoutMs });
        const { total, hasMore, values } = completion;
        return { values, total, hasMore };
      }),
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    attach(client) {
      client.setNotificationHandler('notifications/resources/list_changed', () => changed('resources'));
      client.setNotificationHandler('notifications/prompts/list_changed', () => changed('prompts'));
      client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
        subscriptions.updated(params.uri),
      );
      // The lists of an earlier connection may have changed meanwhile.
      if (resources.isKnown()) changed('resources');
      if (prompts.isKnown()) changed('prompts');
      void listenToLists(client, changed).catch(() => undefined);
      subscriptions.renew(client);
    },
  };
}

/** Keeps a list until it is forgotten. A failed request is not kept. */
function kept<T>(request: () => Promise<T>): { get(): Promise<T>; isKnown(): boolean; forget(): void } {
  let current: Promise<T> | undefined;
  return {
    get() {
      if (current !== undefined) return current;
      const listing: Promise<T> = request().catch((error) => {
        if (current === listing) current = undefined;
        throw error;
      });
      current = listing;
      return listing;
    },
    isKnown: () => current !== undefined,
    forget() {
      current = undefined;
    },
  };
}

/** Subscribes to changes of the lists where the protocol requires it (2026-07-28). */
async function listenToLists(client: Client, changed: (list: 'resources' | 'prompts') => void): Promise<void> {
  if (client.getProtocolEra() !== 'modern') return;
  const { resources, prompts } = client.getServerCapabilities() ?? {};
  const filter = {
    resourcesListChanged: resources?.listChanged === true ? true : undefined,
    promptsListChanged: prompts?.listChanged === true ? true : undefined,
  };
  if (Object.keys(filter).length === 0) return;
  await keepListening(client, filter, () => {
    changed('resources');
    changed('prompts');
  });
}

function noSubscriptions(server: string): ToolwrightError {
  const message = `${server} does not report updates of resources. Read the resource again after a pause.`;
  return new ToolwrightError('NOT_SUPPORTED', message, { details: { server } });
}
