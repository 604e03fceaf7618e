import type { InputOptions, ToolCallOptions } from '@toolwright/connectors';
import type { ProgramValues, Redactor } from '@toolwright/pii/internal';
import {
  type BridgeHost,
  type BridgeOperations,
  createBridgeHost,
  type LanguageName,
  type LogLine,
} from '@toolwright/sandbox';
import { lazy, safeListener } from '@toolwright/sandbox/internal';
import type { UserCatalog } from '../../catalog/user-catalog.ts';
import type { ExecutionOrigins } from '../../config/policy/origins/origins.ts';
import type { Limits } from '../../config/sections/limits.ts';
import { ToolwrightError } from '../../errors.ts';
import type { ExecutionPart } from '../../history/result.ts';
import type { CallJournal, ToolCallRecord } from '../../journal/call-record.ts';
import type { SkillOperations } from '../../skills/guest-operations.ts';
import type {
  ApprovedCalls,
  AskPerson,
  DryRunCalls,
  InputSources,
  NamedTools,
  StartLogin,
  ToolCallContext,
} from '../../tool-calls/call.ts';
import { createToolCalls, createWarnings, type EarlierCalls } from '../../tool-calls/calls.ts';
import type { ExecutionPolicy } from '../../tool-calls/policy/create-policy.ts';
import { withRedactedErrors } from '../../tool-calls/redaction/redact.ts';
import { createResources, type Resources } from '../../tool-calls/resources/resources.ts';
import type { Files } from '../../workspaces/files.ts';
import { fileOperations } from '../../workspaces/guest-operations.ts';
import { extractOperation } from '../extract/extract.ts';
import type { KeptValues } from '../kept/kept-values.ts';
import type { Media } from '../media/media.ts';
import type { AskModel } from '../questions/input-sources.ts';
import { lookupOperations } from './guest-operations.ts';
import { notingReads } from './noted-reads.ts';
import { programFiles } from './program-files.ts';

/** The files of the guest, and everything that reads or changes them. */
export interface HostFiles {
  /** All files that the program sees. */
  readonly files: Files;
  readonly skillOperations: SkillOperations;
  /** Returns the source of a module that the guest imports, by its absolute guest path. */
  readonly loadModule: (path: string) => Promise<string>;
  /** The images and recordings of the program. */
  readonly media: Media;
}

export interface HostBridgeOptions {
  readonly executionId: string;
  readonly catalog: UserCatalog;
  readonly guestFiles: () => HostFiles;
  readonly kept?: KeptValues | undefined;
  readonly ask: AskPerson;
  /** Answers servers without a person. */
  readonly inputs?: (() => InputSources & { readonly askModel?: AskModel }) | undefined;
  /** Present in a dry run. */
  readonly dryRun?: DryRunCalls | undefined;
  /** Present for an execution under the approval of a dry run. */
  readonly approved?: ApprovedCalls | undefined;
  /** Raises `PII_DENIED` for a call that was computed from the text of placeholders. */
  readonly requireUncomputed?: ToolCallContext['requireUncomputed'];
  /** Default: timers, at most as long as the time limit. */
  readonly sleep?: BridgeOperations['sleep'];
  /** The calls of an execution that is continued. */
  readonly earlier?: EarlierCalls | undefined;
  readonly journal: CallJournal;
  /** Redacts data for the program, and restores it for the tools. */
  readonly redactor: Redactor;
  /** The values that the program may see. */
  readonly values: ProgramValues;
  readonly limits: Limits;
  /** The language of the program, and of the signatures that the guest receives. */
  readonly language: LanguageName;
  /** The user whose program it is. */
  readonly userId: string;
  /** Headers of the client's request, for servers that need them. */
  readonly clientHeaders?: ToolCallOptions['clientHeaders'];
  /** The tools that the program names. */
  readonly names: NamedTools;
  /** Decides the tool calls of the program. */
  readonly policy: ExecutionPolicy;
  /** Present where the policy depends on the origins of arguments. */
  readonly origins?: ExecutionOrigins | undefined;
  readonly startLogin?: StartLogin | undefined;
  readonly onTaskWait?: InputOptions['onTaskWait'];
  /** Returns the value or the log lines of another execution of the user. */
  readonly executionValue: (id: string, part: ExecutionPart) => Promise<unknown>;
  readonly onTooManyCalls: () => void;
  readonly onLog?: (line: LogLine) => void;
  readonly onProgress?: (value: unknown) => void;
  /** Receives the progress reports of tools. Without it, no tool is asked for them. */
  readonly onToolProgress?: ((value: unknown) => void) | undefined;
  readonly onCall?: ((call: { readonly number: number; readonly tool: string }) => void) | undefined;
  readonly beforeCall?: (() => void) | undefined;
  /** Receives defects, which the guest sees as an id only. For a listener that throws, the id is its name. */
  readonly onDefect: (id: string, error: unknown) => void;
}

/** The host's side of one execution's bridge, and the records of its requests. */
export interface HostBridge extends BridgeHost {
  calls(): readonly ToolCallRecord[];
  /** Ends all requests. With `isLeft`, the execution goes on later. */
  close(isLeft?: boolean): void;
  /** Returns the tool of a request that failed with the words of its server. */
  failedTool(request: number): string | undefined;
}

/** Errors whose message is of the server, without the name of the tool. */
const BY_SERVER: ReadonlySet<string> = new Set(['TOOL_FAILED', 'UPSTREAM_PROTOCOL', 'ACCESS_DENIED']);

/** Creates the host's side of the bridge: requests become tool calls, file operations, searches and waits. */
export function createHostBridge(options: HostBridgeOptions): HostBridge {
  const { limits, values, redactor, onDefect } = options;
  const onCall = options.onCall && safeListener('onCall', options.onCall, onDefect);
  const warn = (text: string) => host.warn(text);
  const resources = lazy(() =>
    createResources({
      catalog: options.catalog,
      ...{ language: options.language, userId: options.userId },
      ...{ redactor, files: options.guestFiles().files, maxTextBytes: limits.callResultBytes },
      isContinued: options.earlier !== undefined,
      beforeWrite: options.beforeCall,
      onWarning: warn,
    }),
  );
  const calls = createToolCalls({
    ...options,
    resources,
    onTooMany: options.onTooManyCalls,
    onCall,
    onWarning: warn,
  });
  const failed = new Map<number, string>();
  const host: BridgeHost = createBridgeHost({
    operations: {
      async call(tool, args, room, request, isRaw) {
        const concealing = values.concealValue(args);
        const concealed = (concealing instanceof Promise ? await concealing : concealing) as typeof args;
        let text: string;
        try {
          text = await calls.call(tool, concealed, room, request, isRaw);
        } catch (error) {
          if (error instanceof ToolwrightError && BY_SERVER.has(error.code)) failed.set(request, tool);
          throw error;
        }
        const revealing = values.reveal(text);
        const shown = revealing instanceof Promise ? await revealing : revealing;
        const counting = values.countEchoes(concealed, text);
        if (counting) await counting;
        return shown;
      },
      sleep: options.sleep,
      files: () => withRedactedErrors(guestFileOperations(options), redactor),
      lookups: () => withRedactedErrors(guestLookups(options, resources, createWarnings(warn)), redactor),
    },
    limits,
    onLog: options.onLog,
    onProgress: options.onProgress,
    onDefect,
  });
  return {
    ...host,
    calls: calls.records,
    failedTool: (request) => failed.get(request),
    close(isLeft) {
      calls.close(isLeft);
      resources.made()?.close();
      host.close();
    },
  };
}

function guestFileOperations({ guestFiles, executionId, values, redactor, limits, beforeCall }: HostBridgeOptions) {
  const shown = (text: string) => values.reveal(text, true);
  return fileOperations(programFiles(guestFiles().files, values, redactor), {
    maxBytes: limits.callResultBytes,
    owner: executionId,
    shown,
    stored: values.conceal,
    beforeWrite: beforeCall,
  });
}

function guestLookups(options: HostBridgeOptions, resources: () => Resources, warn: (text: string) => void) {
  const { guestFiles, kept, redactor, values, inputs, origins } = options;
  const { media, loadModule, skillOperations: skills } = guestFiles();
  const lookups = lookupOperations({ ...options, media, loadModule, skills, warn });
  const list = (settings: unknown) => resources().list(settings);
  const extract = extractOperation({ redactor, values, ask: inputs?.().askModel, onExtracted: origins?.extracted });
  return notingReads({ ...lookups, ...kept?.operations, resources: list, extract }, origins);
}
