import { type Tool, type ToolLanguage, toolId } from '@toolwright/connectors';
import type { Redactor } from '@toolwright/pii/internal';
import { type Operation, requireText } from '@toolwright/sandbox/internal';
import type { ResolvedTool } from '../../catalog/resolved-tool.ts';
import type { ServerContext } from '../../catalog/server-contexts.ts';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import { ToolwrightError } from '../../errors.ts';
import type { Files } from '../../workspaces/files.ts';
import { resourceValue } from './content.ts';
import { listResources, serverOf } from './find.ts';
import { RESOURCE_TOOLS } from './tools.ts';
import { createUpdates } from './updates.ts';

export interface ResourceOptions {
  readonly catalog: UserCatalog;
  readonly language: ToolLanguage;
  /** The user whose program asks. */
  readonly userId: string;
  readonly redactor: Redactor;
  readonly files: Files;
  readonly maxTextBytes: number;
  /** Whether the execution was suspended or interrupted before. */
  readonly isContinued: boolean;
  readonly beforeWrite?: (() => void) | undefined;
  /** Receives a warning about a server that could not list its resources. */
  readonly onWarning: (text: string) => void;
}

/** The resources of servers, as the programs of one execution use them. */
export interface Resources {
  /** Returns a request about a resource as a tool of its server, which the stages of tool calls check, journal and redact. */
  resolve(tool: string, args: Readonly<Record<string, unknown>>): Promise<ResolvedTool>;
  /** Lists resources and templates that match a query, for `list_resources`. Redacted. */
  readonly list: Operation;
  /** Ends all subscriptions. */
  close(): void;
}

/** Creates the resources of one execution. */
export function createResources(options: ResourceOptions): Resources {
  const { catalog, language, userId, redactor, files, maxTextBytes, isContinued, beforeWrite, onWarning } = options;
  const servers = catalog.contexts;
  const updates = createUpdates(isContinued);
  const tools = new Map<string, Tool>();
  const toolOf = ({ name: server, serverKey }: ServerContext, name: string): Tool => {
    const id = toolId(server, name);
    const definition = RESOURCE_TOOLS[name];
    if (!definition) throw new ToolwrightError('UNKNOWN_TOOL', `Unknown request ${name}.`);
    const tool = tools.get(id) ?? { id, server, definition, serverKey };
    tools.set(id, tool);
    return tool;
  };
  return {
    async resolve(name, args) {
      const uri = requireText(args.uri, 'read_resource takes the URI of a resource, or a resource_link');
      const server = args.server === undefined || args.server === null ? undefined : serverName(args.server);
      const owner = await serverOf(servers, uri, { server, userId });
      const call: ResolvedTool['connector']['call'] = async (_name, given, { signal } = {}) => {
        const asked = { userId, signal };
        // Placeholders in the URI are restored now.
        const wanted = { uri: String(given.uri), timeoutMs: Number(given.timeoutMs) };
        if (name === 'resources/subscribe') return updates.wait(owner.name, owner.source, wanted, asked);
        const parts = await owner.source.readResource(wanted.uri, asked);
        return resourceValue(parts, { server: owner.name, redactor, files, maxTextBytes, beforeWrite });
      };
      return { tool: toolOf(owner, name), connector: { call }, writer: catalog.writer(language) };
    },
    async list(settings) {
      const { server, query } = Object(settings);
      const named = server === undefined || server === null ? undefined : serverName(server);
      const words = typeof query === 'string' ? query.toLowerCase().split(/\s+/).filter(Boolean) : [];
      const lists = await listResources(servers, { server: named, userId }, onWarning);
      const found = await Promise.all(
        lists.map(async ({ server: from, resources, templates }) => {
          const entries = [...resources, ...templates].filter((entry) => {
            const text = `${from} ${Object.values(entry).join(' ')}`.toLowerCase();
            return words.every((word) => text.includes(word));
          });
          const { guestValue } = await redactor.redactResult(entries, { server: from });
          return (guestValue as typeof entries).map((entry) => ({ ...entry, server: from }));
        }),
      );
      return found.flat();
    },
    close: updates.close,
  };
}

function serverName(server: unknown): string {
  return requireText(server, 'The server of a resource is a text');
}
