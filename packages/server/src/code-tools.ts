import type { OnApproval } from '@toolwright/core';
import { type ExecuteOptions, type ExecutionResult, type Toolwright, ToolwrightError } from '@toolwright/core';
import type { LanguageName } from '@toolwright/sandbox';
import { readExecuteArguments } from './agent/loop/execute-arguments.ts';
import { lookUp } from './agent/loop/look-up.ts';
import { shownResponse, type ToolResponse } from './agent/loop/tool-response.ts';
import { TOOLS } from './agent/loop/toolbox.ts';
import { instructionsFor } from './agent/prompts/instructions.ts';
import {
  type ApprovalDecision,
  createApprovals,
  type PendingApproval,
  type ShownArguments,
} from './code-tools/approvals.ts';
import type { MediaBlock, ModelTool } from './models/model.ts';

export type { ApprovalDecision, PendingApproval } from './code-tools/approvals.ts';

/** A step of a running program: a call of a tool, or a value that the program or a tool reports. */
export type CodeProgress =
  | { readonly type: 'call'; readonly tool: string }
  | { readonly type: 'progress'; readonly value: unknown };

/** Options of {@link createCodeTools}; all are optional. */
export interface CodeToolsOptions {
  readonly limits?: ExecuteOptions['limits'];
  readonly onApproval?: OnApproval | undefined;
  /** Name of the sandbox of programs; never replaced by another. Default: the sandbox of the Toolwright. */
  readonly sandbox?: string | undefined;
  /** Owner of the session, the skills and the executions. Default: `local`. */
  readonly userId?: string | undefined;
  /** An existing session, whose files and placeholders stay from call to call. Default: none. */
  readonly sessionId?: string | undefined;
  /** Language of programs that name none. Default: recognised from the text. */
  readonly language?: LanguageName | undefined;
  /**
   * Whether `continue_execution` is a tool. Default: true. Without it, approvals that `onApproval` leaves open are decided by other
   * ways, such as `toolwright executions approve`.
   */
  readonly canContinue?: boolean | undefined;
  /** Receives the steps of running programs, for an interface that shows them. The model does not read them. Default: none. */
  readonly onProgress?: ((step: CodeProgress) => void) | undefined;
}

/** Options of one call. */
export interface CodeToolCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Receives the steps of this call, in addition to `onProgress` of all calls. */
  readonly onProgress?: ((step: CodeProgress) => void) | undefined;
}

/** A program that ran, for the app. */
export interface ExecutedProgram {
  readonly executionId: string;
  readonly status: ExecutionResult['status'];
  readonly calls: ExecutionResult['calls'];
  readonly stats: ExecutionResult['stats'];
}

/** The answer of a tool, for a model. */
export interface CodeToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** Images and recordings that the program shows or returns, for a model that reads them. */
  readonly media?: readonly MediaBlock[];
  /** Set when the program waits for a person. */
  readonly pending?: PendingApproval;
  /** The execution of a program with its calls, times and tokens, for the app. The model does not read it. */
  readonly execution?: ExecutedProgram;
}

/** The tools of Toolwright for an agent loop. */
export interface CodeTools {
  /** `execute_code`, `search_tools`, `get_tool_definition` and `continue_execution`, as a model reads them. */
  readonly definitions: readonly ModelTool[];
  /** Returns the part of a system prompt that names the servers. Waits 2 seconds at most for servers that start, and as long for their resources. */
  instructions(): Promise<string>;
  /**
   * Runs a call of a model. Errors of its program and wrong arguments are answers with `isError`. Rejects for defects, and with
   * `CLOSED`, `SANDBOX_UNAVAILABLE` and `UNKNOWN_SESSION`, which no other call can fix. Raises `NOT_APPROVED` for
   * `continue_execution`: let a person approve, and call {@link decide} instead.
   */
  call(tool: string, input: unknown, options?: CodeToolCallOptions): Promise<CodeToolAnswer>;
  /**
   * Returns the waiting calls of an approval. With `real`, their arguments have personal data: show them to a person, never to a
   * model. Raises `QUESTION_CHANGED` if others wait now.
   */
  approval(approvalId: string, shown?: { readonly arguments?: ShownArguments }): Promise<PendingApproval>;
  /**
   * Stores the decision of a person about an approval, and returns the answer of the continued program. `decision` may be a function
   * that asks the person; its errors reject.
   */
  decide(
    approvalId: unknown,
    decision: ApprovalDecision | ((pending: PendingApproval) => ApprovalDecision | Promise<ApprovalDecision>),
  ): Promise<CodeToolAnswer>;
}

const CONTINUE: ModelTool = {
  name: 'continue_execution',
  description: 'Asks the user to approve the waiting calls of a program, then returns its result.',
  inputSchema: { type: 'object', properties: { approvalId: { type: 'string' } }, required: ['approvalId'] },
};
/** Milliseconds to wait for servers that have not listed their tools. */
const LIST_WAIT_MS = 2_000;
/** Errors that no other call of a model can fix. */
const FATAL: ReadonlySet<string> = new Set(['CLOSED', 'SANDBOX_UNAVAILABLE', 'UNKNOWN_SESSION', 'NOT_APPROVED']);

/**
 * Creates the tools of a Toolwright for an agent loop of your own. For a known framework, use `toolwright/ai-sdk`,
 * `toolwright/langchain`, `toolwright/openai-agents`, `toolwright/mastra` or `toolwright/claude-agent-sdk`.
 */
export function createCodeTools(toolwright: Toolwright, options: CodeToolsOptions = {}): CodeTools {
  const { userId = 'local', sessionId, language, canContinue = true, onProgress: onAny, ...settings } = options;
  const owner = { userId, sessionId };
  const approvals = createApprovals(toolwright, userId);
  const source = { executions: toolwright.executions, userId };

  const answerOf = async (result: ExecutionResult): Promise<CodeToolAnswer> => {
    const { executionId, status, calls, stats } = result;
    const execution = { executionId, status, calls, stats };
    const shown = async () => ({ ...plain(await shownResponse(result, source)), execution });
    if (status !== 'suspended' || !canContinue) return shown();
    const pending = await approvals.of(executionId);
    return pending.calls.length > 0 ? { ...waiting(pending), execution } : shown();
  };
  const run = async (input: unknown, { signal, onProgress: onOwn }: CodeToolCallOptions) => {
    const report = (step: CodeProgress) => {
      onAny?.(step);
      onOwn?.(step);
    };
    const { code, sessionId: _other, limits, ...rest } = readExecuteArguments(input);
    // A loop has tools of its own, unless its settings state the opposite.
    const all = {
      hasSeenPublicData: true,
      ...settings,
      ...owner,
      language,
      ...rest,
      limits: { ...settings.limits, ...limits },
      signal,
    };
    const reporting = {
      onCall: ({ tool }: { readonly tool: string }) => report({ type: 'call', tool }),
      onProgress: (value: unknown) => report({ type: 'progress', value }),
    };
    return answerOf(await toolwright.execute(code, { ...all, ...reporting }));
  };
  /** Returns errors of a step that a model can fix as an answer. */
  const readable = async <T>(step: () => Promise<T>): Promise<T | CodeToolAnswer> => {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof ToolwrightError) || FATAL.has(error.code)) throw error;
      return { text: await toolwright.pii.redact(error.message, owner), isError: true };
    }
  };

  return {
    definitions: canContinue ? [...TOOLS, CONTINUE] : TOOLS,
    async instructions() {
      const text = await instructionsFor(toolwright, { userId, waitMs: LIST_WAIT_MS });
      return toolwright.pii.redact(text, { userId });
    },
    call: (tool, input, callOptions = {}) =>
      readable(async () => {
        if (tool === 'execute_code') return run(input, callOptions);
        if (tool === CONTINUE.name) throw notApproved();
        const text = await lookUp(tool, input ?? {}, { toolwright, userId, language: language ?? 'typescript' });
        return { text: await toolwright.pii.redact(text, owner), isError: false };
      }),
    approval: (approvalId, { arguments: args } = {}) => approvals.find(approvalId, args),
    async decide(approvalId, decision) {
      const pending = await readable(() => approvals.find(String(approvalId)));
      if ('text' in pending) return pending;
      const made = typeof decision === 'function' ? await decision(pending) : decision;
      return readable(async () => answerOf(await approvals.decide(pending.approvalId, made)));
    },
  };
}

function plain({ text, isError, media = [] }: ToolResponse): CodeToolAnswer {
  return { text, isError: isError === true, media: media.length > 0 ? media : undefined };
}

/** The model learns the names of the tools only: a person sees the arguments. */
function waiting(pending: PendingApproval): CodeToolAnswer {
  const { calls, approvalId } = pending;
  const tools = [...new Set(calls.map(({ tool }) => tool))].join(', ');
  const text = `The program waits: the user has to approve ${calls.length} ${calls.length === 1 ? 'call' : 'calls'} of ${tools}. Call ${CONTINUE.name} with approvalId "${approvalId}". Do not run the program again.`;
  return { text, isError: false, pending };
}

function notApproved(): ToolwrightError {
  const message = `${CONTINUE.name} needs the decision of a person. Show approval(approvalId) to one, and call decide(approvalId, …).`;
  return new ToolwrightError('NOT_APPROVED', message);
}
