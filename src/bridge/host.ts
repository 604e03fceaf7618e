import { messageOf, ToolwrightError } from '../errors.ts';
import type { Limits } from '../execution/limits.ts';
import type { Language } from '../languages/language.ts';
import type { Guard } from '../pii/guard.ts';
import type { Catalog } from '../tools/catalog.ts';
import type { Files } from '../workspaces/files.ts';
import { createToolCalls } from './calls.ts';
import { createFaultMemory, type KnownFault, toFault } from './faults.ts';
import { fileOperations } from './files.ts';
import { parseGuestJson } from './json.ts';
import { guarded } from './listener.ts';
import { createGuestLog } from './log.ts';
import type { GuestBridge } from './protocol.ts';
import type { CallJournal, LogLine, ToolCallRecord } from './record.ts';
import type { SkillOperations } from './skills.ts';
import { createSlots } from './slots.ts';
import { createTurns } from './turns.ts';

export interface HostBridgeOptions {
  readonly catalog: Catalog;
  /** The tree of files that the guest sees. */
  readonly files: Files;
  readonly skills: SkillOperations;
  readonly journal: CallJournal;
  /** Stands between the tools and the program. */
  readonly guard: Guard;
  readonly limits: Limits;
  /** The language of the program: the guest is told of tools in it. */
  readonly language: Language['name'];
  /** Gives the source of a module that the guest imports, by its absolute guest path. */
  readonly loadModule: (path: string) => Promise<string>;
  readonly onTooManyCalls: () => void;
  readonly onLog?: (line: LogLine) => void;
  readonly onProgress?: (value: unknown) => void;
  readonly onCall?: (call: { readonly number: number; readonly tool: string }) => void;
  /** Takes defects of ours, which the guest sees as an id only; of a listener that throws, the id is its name. */
  readonly onDefect: (id: string, error: unknown) => void;
}

/** The host's side of one execution's bridge, and what it saw. */
export interface HostBridge {
  readonly bridge: GuestBridge;
  readonly logs: readonly LogLine[];
  droppedLogBytes(): number;
  calls(): readonly ToolCallRecord[];
  /** The fault that answered a request, if one did: the last 10,000 are known. */
  faultOf(request: number): KnownFault | undefined;
  /** Adds a line of ours to the log of the execution. */
  warn(text: string): void;
  /** Ends everything in flight; answers that come later go nowhere. */
  close(): void;
}

/** Requests that may wait for an answer at once, timers included. */
const MAX_PENDING = 20_000;
/** Bytes of memory that requests may take while they wait, about. */
const MAX_PENDING_BYTES = 128 * 1024 * 1024;
/** File operations at once; the rest waits its turn. */
const PARALLEL_FILES = 4;
/** Look-ups of tools, skills and modules at once: they may wait for a server, or open files. The rest waits its turn. */
const PARALLEL_LOOKUPS = 16;
/** Milliseconds for which one guest may keep the event loop. */
const MAX_TURN_MS = 10;
const MAX_FAULTS = 10_000;
/** Whoever listens may take long for each. */
const MAX_PROGRESS_CHARACTERS = 16 * 1024;
/** Queries of one search. */
const MAX_QUERIES = 20;
/** Placeholders of one derivation. */
const MAX_DERIVED = 10_000;

/** Answers a guest: the one place where its requests become calls, files, searches and waits. */
export function createHostBridge(options: HostBridgeOptions): HostBridge {
  const { catalog, skills, limits, language, onDefect } = options;
  const onCall = guarded('onCall', options.onCall, onDefect);
  const onProgress = guarded('onProgress', options.onProgress, onDefect);
  const calls = createToolCalls({ ...options, onTooMany: options.onTooManyCalls, onCall });
  const log = createGuestLog(limits.logBytes, guarded('onLog', options.onLog, onDefect));
  const faults = createFaultMemory(MAX_FAULTS);
  const timers = new Set<NodeJS.Timeout>();
  const fileSlots = createSlots(PARALLEL_FILES);
  const lookupSlots = createSlots(PARALLEL_LOOKUPS);
  const turn = createTurns(MAX_TURN_MS);
  let pending = 0;
  let pendingBytes = 0;
  let closed = false;

  const files = fileOperations(options.files, limits.callResultBytes);
  const operations: Readonly<Record<string, (...parameters: readonly unknown[]) => Promise<unknown>>> = {
    ...files,
    list: async (filter) => {
      const tools = await catalog.list(typeof filter === 'string' ? filter : undefined);
      return tools.map(({ id, server, definition }) => ({
        name: id,
        server,
        description: firstLine(definition.description ?? definition.title ?? ''),
      }));
    },
    details: async (wanted) => {
      const name = requireText(wanted, 'get_mcp_tool_details takes the name of a tool');
      return catalog.describe(name, 'docs', language).catch((error: unknown) =>
        skills.text(name).catch(() => {
          throw error;
        }),
      );
    },
    skill: (name) => skills.entry(requireText(name, 'run_skill takes the name of a skill')),
    skillText: (name) => skills.text(requireText(name, 'load_skill takes the name of a skill')),
    search: async (query, settings) => {
      if (Array.isArray(query) && query.length > MAX_QUERIES) {
        throw new ToolwrightError('INVALID_ARGUMENTS', `search_tools takes at most ${MAX_QUERIES} queries at once.`);
      }
      const queries = (Array.isArray(query) ? query : [query]).map((text) =>
        requireText(text, 'search_tools takes a text or a list of texts'),
      );
      const beside = await skills.beside();
      const { hits } = await catalog.search(queries, { ...searchSettings(settings), language, beside });
      return hits.map(({ id, server, signature, description }) => ({ name: id, server, signature, description }));
    },
    async derive(placeholders, derivation) {
      const list = Array.isArray(placeholders) ? placeholders : [placeholders];
      if (list.length > MAX_DERIVED) {
        const message = `pii.derive takes at most ${MAX_DERIVED} placeholders at once, got ${list.length}.`;
        throw new ToolwrightError('INVALID_ARGUMENTS', message);
      }
      const derived = await options.guard.derive(list, derivation);
      return Array.isArray(placeholders) ? derived : derived[0];
    },
    module: (path) => options.loadModule(requireText(path, 'a module has a path')),
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(
          () => {
            timers.delete(timer);
            resolve(null);
          },
          Math.min(typeof milliseconds === 'number' ? Math.max(0, milliseconds) : 0, limits.timeoutMs + 1_000),
        );
        timers.add(timer);
      }),
  };

  const read = (payload: string) => parseGuestJson(payload, { bytes: limits.messageBytes, depth: limits.depth });
  const answer = async (request: unknown, room: () => Promise<void>): Promise<string> => {
    if (!Array.isArray(request)) throw new ToolwrightError('BRIDGE_PROTOCOL', 'A request is a list.');
    const [operation, ...parameters]: unknown[] = request;
    if (operation === 'call') {
      const [tool, args] = parameters;
      return calls.call(requireText(tool, 'a tool has a name'), requireRecord(args), room);
    }
    const run =
      typeof operation === 'string' && Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    if (!run) throw new ToolwrightError('BRIDGE_PROTOCOL', 'The bridge has no such operation.');
    if (operation === 'sleep') return JSON.stringify(await run(...parameters));
    const slots = Object.hasOwn(files, operation as string) ? fileSlots : lookupSlots;
    return slots.run(async () => {
      await room();
      if (closed) throw new ToolwrightError('CLOSED', 'The execution has ended.');
      return JSON.stringify((await run(...parameters)) ?? null);
    });
  };

  return {
    bridge: {
      async request(id, payload, room = noWait) {
        pending++;
        let bytes = 0;
        try {
          if (closed) throw new ToolwrightError('CLOSED', 'The execution has ended.');
          if (pending > MAX_PENDING) {
            throw new ToolwrightError(
              'BUSY',
              `More than ${MAX_PENDING} requests wait at once. Await some before more.`,
            );
          }
          const message = read(payload);
          if (pending > 1 && pendingBytes + message.bytes > MAX_PENDING_BYTES) {
            throw new ToolwrightError(
              'BUSY',
              `Requests of more than ${MAX_PENDING_BYTES} bytes wait at once. Await some before more.`,
            );
          }
          bytes = message.bytes;
          pendingBytes += bytes;
          const paced = async () => {
            await room();
            await turn();
          };
          return { ok: true, payload: await answer(message.value, paced) };
        } catch (error) {
          const { code, fault } = toFault(error, options.onDefect);
          faults.add(id, { code, message: fault.message });
          return { ok: false, payload: JSON.stringify(fault) };
        } finally {
          pending--;
          pendingBytes -= bytes;
        }
      },
      notice(payload) {
        if (closed) return;
        try {
          const { value: notice } = read(payload);
          if (!Array.isArray(notice)) return;
          if (notice[0] === 'log') log.add(notice[1], notice[2]);
          else if (notice[0] !== 'progress') return;
          else if (payload.length <= MAX_PROGRESS_CHARACTERS) onProgress(notice[1]);
          else
            log.add(
              'warn',
              `A progress value of ${payload.length} characters was dropped, ${MAX_PROGRESS_CHARACTERS} are the most.`,
            );
        } catch (error) {
          log.add('warn', `A log line was dropped: ${messageOf(error)}`);
        }
      },
    },
    logs: log.lines,
    droppedLogBytes: log.dropped,
    calls: calls.records,
    warn: (text) => log.add('warn', text),
    faultOf: (request) => faults.get(request),
    close() {
      closed = true;
      calls.close();
      fileSlots.close();
      lookupSlots.close();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function requireText(value: unknown, message: string): string {
  if (typeof value === 'string') return value;
  throw new ToolwrightError('INVALID_ARGUMENTS', `${message}, got ${value === null ? 'null' : typeof value}.`);
}

function requireRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ToolwrightError('INVALID_ARGUMENTS', 'A tool takes one object of arguments.');
}

function searchSettings(value: unknown): { server?: string; limit?: number } {
  if (typeof value !== 'object' || value === null) return {};
  const { server, limit } = value as { server?: unknown; limit?: unknown };
  return { ...(typeof server === 'string' ? { server } : {}), ...(typeof limit === 'number' ? { limit } : {}) };
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 200) ?? '';
}

async function noWait(): Promise<void> {}
