import { randomUUID } from 'node:crypto';
import type { LanguageName } from '@toolwright/sandbox';
import { languageOf } from '@toolwright/sandbox/internal';
import type { ProgramRuns } from '../api.ts';
import { problemsText } from '../config/problems.ts';
import { checkLimits, type Limits } from '../config/sections/limits.ts';
import { ToolwrightError } from '../errors.ts';
import type { ExecutionResult } from '../history/result.ts';
import { isExecutionId } from '../journal/file.ts';
import { checkOptionNames } from '../option-names.ts';
import { DEFAULT_USER } from '../owner-name.ts';
import type { SessionRedactors } from '../sessions/redactors.ts';
import { checkSource } from './check/check.ts';
import type { ExecutionContexts } from './contexts.ts';
import { type ActiveExecutions, bothListeners, type LogListener } from './control/active-executions.ts';
import { execute } from './execute.ts';
import { type ExecuteOptions, executeRequestSchema, PRIORITIES } from './request.ts';

export interface ExecutionApiOptions {
  readonly contexts: ExecutionContexts;
  readonly active: ActiveExecutions;
  readonly redactors: SessionRedactors;
  /** Default limits of an execution. */
  readonly limits: Limits;
  /** Whether programs are checked before they run, unless an execution sets `check`. */
  readonly isChecked: boolean;
}

// Language, limits and user are checked where they are used, with the same errors for all methods.
const optionsSchema = executeRequestSchema.omit({ code: true, language: true, limits: true, userId: true });

/** Creates the methods of a Toolwright that execute and check programs. */
export function createExecutionApi(parts: ExecutionApiOptions): ProgramRuns {
  const { contexts, active, redactors, limits, isChecked } = parts;
  return {
    sandbox: async (language) => contexts.sandboxOf(language),
    async check(source, options = {}) {
      requireText(source, 'check');
      checkOptionNames('check', options);
      const { sessionId, userId, profile, hasSeenPublicData } = options;
      const language = options.language ?? (await recognised(source, { userId, limits }));
      const checked = await checkSource(source, contexts.checkContext(String(language), { userId, profile }), {
        limits,
        sessionId,
        userId,
        hasSeenPublicData,
      });
      return (await redactors.of({ userId, sessionId })).redact(checked);
    },
    async execute<T>(source: string, options: ExecuteOptions = {}) {
      requireText(source, 'execute');
      checkOptionNames('execute', options);
      const { language: named, limits: changed = {}, sandbox, check = isChecked, ...settings } = options;
      const language = named ?? (await recognised(source, { userId: settings.userId, limits }));
      const { userId, profile, isDirect } = settings;
      const context = await contexts.runContext(String(language), { sandbox, userId, profile, isDirect });
      const checked = checkLimits(changed, limits);
      checkOptions(options);
      const { executionId = randomUUID() } = settings;
      const run = async (signal: AbortSignal, log: LogListener) => {
        const onLog = bothListeners(log, settings.onLog);
        const all = { ...settings, executionId, check, signal, onLog, limits: checked };
        const result = await execute(source, context, all);
        await redactors.destroyIfRemoved(settings);
        return result as ExecutionResult<T>;
      };
      return active.run(settings.signal, run, executionId);
    },
  };
}

/** Returns the language of a program that names none. A text that is too large or cannot be read fails later, as TypeScript. */
async function recognised(
  source: string,
  { userId = DEFAULT_USER, limits }: { readonly userId: string | undefined; readonly limits: Limits },
): Promise<LanguageName> {
  if (source.length > limits.sourceBytes) return 'typescript';
  return languageOf(source, userId).catch(() => 'typescript');
}

function requireText(source: unknown, method: string): void {
  if (typeof source === 'string') return;
  throw new ToolwrightError('CONFIG_INVALID', `${method} takes a program as text.`);
}

function checkOptions(options: ExecuteOptions): void {
  const {
    executionId,
    sessionId,
    createSession,
    check,
    sandbox,
    dryRun,
    approved,
    request,
    hasSeenPublicData,
    priority,
  } = options;
  if (executionId !== undefined && !isExecutionId(executionId)) {
    throw new ToolwrightError('CONFIG_INVALID', 'execute: executionId must be a UUID in lower case, or absent.');
  }
  if (priority !== undefined && !PRIORITIES.includes(priority)) {
    throw new ToolwrightError('CONFIG_INVALID', `execute: priority must be ${PRIORITIES.join(' or ')}, or absent.`);
  }
  if (dryRun && approved !== undefined) {
    const message = 'execute: pass dryRun to list the calls of a program, or approved to run it, but not both.';
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const checked = { sessionId, createSession, check, sandbox, dryRun, approved, request, hasSeenPublicData };
  const parsed = optionsSchema.safeParse(checked, { reportInput: true });
  if (parsed.success) return;
  throw new ToolwrightError('CONFIG_INVALID', `execute: wrong options. ${problemsText(parsed.error)}.`);
}
