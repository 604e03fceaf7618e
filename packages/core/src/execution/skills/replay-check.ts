import { isDeepStrictEqual } from 'node:util';
import type { ToolEndpoint } from '@toolwright/connectors';
import { NO_REDACTION } from '@toolwright/pii/internal';
import { lazy } from '@toolwright/sandbox/internal';
import type { Catalog } from '../../catalog/catalog.ts';
import { TYPESCRIPT_WRITER } from '../../catalog/signatures/typescript/writer.ts';
import type { Limits } from '../../config/sections/limits.ts';
import { type ErrorCode, ToolwrightError } from '../../errors.ts';
import { fileExecutions } from '../../history/storages/files.ts';
import type { JournalCall, JournalContent } from '../../journal/content.ts';
import type { SessionStore } from '../../sessions/session.ts';
import type { StoredSkills } from '../../skills/library.ts';
import type { SkillFile } from '../../skills/skill.ts';
import { OPEN_POLICY } from '../../tool-calls/policy/create-policy.ts';
import { overlayFiles } from '../../workspaces/overlay.ts';
import { openWorkspace } from '../../workspaces/workspace.ts';
import { tenantOf } from '../contexts.ts';
import { execute } from '../execute.ts';
import type { ExecutionContext } from '../execution.ts';

/** A skill that was made from an execution. */
export interface ReplayCheck {
  readonly journal: JournalContent;
  readonly name: string;
  readonly files: readonly SkillFile[];
  readonly userId: string;
  /** Folder for the files of the run; the caller removes it. */
  readonly folder: string;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

/** Longer arguments are left out of errors. */
const MAX_ARGUMENT_CHARACTERS = 200;

/**
 * Runs a skill's main function with the tool results of the execution that it was made from. Nothing is sent, and its files
 * are discarded. Raises `SKILL_REPLAY_MISMATCH` if it fails or makes other calls than the execution.
 */
export async function checkReplay(check: ReplayCheck, context: ExecutionContext): Promise<void> {
  const { journal, name, userId, folder, limits, signal } = check;
  const { start } = journal;
  const replay = replayCalls(journal.calls);
  await using storage = fileExecutions({ dataDir: folder });
  const source = `${start.language === 'python' ? 'await' : 'return'} run_skill(${JSON.stringify(name)}, {})`;
  const result = await execute(
    source,
    {
      ...context,
      catalog: {
        ...context.catalog,
        forUser: (user) => ({
          ...context.catalog.forUser(user),
          resolve: replay.resolve,
          observe: () => undefined,
        }),
      },
      // The results in the journal are redacted already.
      redactorOf: () => NO_REDACTION,
      // Nothing is sent.
      policy: OPEN_POLICY,
      skills: () => withSkill(context.skills(userId), check),
      sessions: { ...context.sessions, open: scratchSession(context.sessions, start.session, folder) },
      program: { seed: start.seed, epochMs: start.epochMs },
      dataDir: folder,
      storage,
      watch: undefined,
    },
    { userId, limits, signal, tenant: tenantOf(userId, start.session), check: false },
  );
  if (result.status === 'failed') throw replayMismatch(start.id, `${result.error.name}: ${result.error.message}`);
  if (result.status === 'stopped') throw replayMismatch(start.id, result.message);
  const missing = replay.unanswered().map(({ tool }) => tool);
  if (missing.length > 0) throw replayMismatch(start.id, `it did not call ${missing.join(', ')}`);
}

/** Returns the error of an execution that cannot become a skill; `reason` ends its first sentence. */
export function replayMismatch(id: string, reason: string): ToolwrightError {
  const message = `The skill made from execution ${id} differs from it: ${reason}. Save the skill with its code instead.`;
  return new ToolwrightError('SKILL_REPLAY_MISMATCH', message);
}

/** Returns a user's skills with one more, which cannot be changed. */
function withSkill(own: StoredSkills, { name, files }: ReplayCheck): StoredSkills {
  const store = {
    ...own.store,
    names: async () => [...new Set([...(await own.store.names()), name])].sort(),
    read: async (skill: string) => (skill === name ? { files, problems: [] } : own.store.read(skill)),
    put: async () => 0,
    remove: async () => undefined,
  };
  return { ...own, store };
}

/** Answers calls from a journal, each once, in any order. */
function replayCalls(calls: readonly JournalCall[]): {
  readonly resolve: Catalog['resolve'];
  /** Returns the calls that the program did not repeat. */
  unanswered(): readonly JournalCall[];
} {
  const unanswered = [...calls];
  const connector: ToolEndpoint = {
    async call(tool, args) {
      const index = unanswered.findIndex(
        (call) => call.tool === tool && isDeepStrictEqual(call.arguments, asJson(args)),
      );
      const answer = unanswered[index]?.answer;
      if (!answer) throw unexpectedCall(tool, args);
      unanswered.splice(index, 1);
      if (answer.ok) return answer.result;
      const { code = 'TOOL_FAILED', message = '' } = answer.result as { code?: ErrorCode; message?: string };
      throw new ToolwrightError(code, message);
    },
  };
  return {
    unanswered: () => unanswered,
    // The tool may have changed or be gone. The journal has its answers, so every tool and argument is accepted.
    resolve: async (id) => ({
      tool: { id, server: '', definition: { name: id, inputSchema: true } },
      connector,
      writer: TYPESCRIPT_WRITER,
    }),
  };
}

function unexpectedCall(tool: string, args: Readonly<Record<string, unknown>>): ToolwrightError {
  const text = JSON.stringify(args);
  // Long arguments are left out, not shortened: half a value is not recognised as personal data.
  const shown = text.length > MAX_ARGUMENT_CHARACTERS ? `${text.length} characters of arguments` : text;
  return new ToolwrightError('SKILL_REPLAY_MISMATCH', `the execution did not call ${tool} with ${shown}`);
}

/** Opens the session of the execution in its current state, and discards all changes. */
function scratchSession(sessions: SessionStore, sessionId: string | undefined, folder: string): SessionStore['open'] {
  return async (request, executionId, quota) => {
    const session = await sessions
      .open({ ...request, sessionId, isReadOnly: true }, executionId, quota)
      .catch(() => sessions.open({ ...request, sessionId: undefined }, executionId, quota));
    const workspace = lazy(() => openWorkspace({ ...quota, root: `${folder}/workspace` }));
    const files = lazy(() => overlayFiles(session.workspace(), workspace(), 'workspace', quota.workspaceBytes));
    const mounts = () => ({ ...session.mounts(), workspace: files() });
    return { ...session, workspace, mounts, record: async () => undefined };
  };
}

/** Returns a value in the form of the journal. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
