import { isDeepStrictEqual } from 'node:util';
import { NO_REDACTION } from '@toolwright/pii/internal';
import type { Catalog } from '../../catalog/catalog.ts';
import { TYPESCRIPT_WRITER } from '../../catalog/writer.ts';
import type { Connector } from '../../connectors/connector.ts';
import { type ErrorCode, ToolwrightError } from '../../errors.ts';
import { type ExecutionContext, execute } from '../../execution/execute.ts';
import type { Limits } from '../../execution/limits.ts';
import { tenantOf } from '../../execution/tenant.ts';
import type { JournalCall, JournalContent } from '../../journal/file.ts';
import type { SessionStore } from '../../sessions/sessions.ts';
import { overlayFiles } from '../../workspaces/overlay.ts';
import { openWorkspace } from '../../workspaces/workspace.ts';
import type { SkillFile } from '../skill.ts';

/** A skill that was made of an execution. */
export interface ReplayCheck {
  readonly journal: JournalContent;
  readonly name: string;
  readonly files: readonly SkillFile[];
  readonly user: string;
  /** Folder for what the run leaves; the caller removes it. */
  readonly folder: string;
  readonly limits: Limits;
  readonly signal: AbortSignal;
}

/** Longer arguments are not told. */
const MAX_ARGUMENT_CHARACTERS = 200;

/**
 * Runs a skill's main function with the answers that the tools gave to the execution it was made of: nothing is sent, and
 * what it writes is thrown away. Raises `SKILL_REPLAY_MISMATCH` when it fails, or makes other calls than the execution did.
 */
export async function checkReplay(check: ReplayCheck, context: ExecutionContext): Promise<void> {
  const { journal, name, files, user, folder, limits, signal } = check;
  const { start } = journal;
  const replay = replayCalls(journal.calls);
  const own = context.skills(user);
  const store = {
    ...own.store,
    names: async () => [...new Set([...(await own.store.names()), name])].sort(),
    read: async (skill: string) => (skill === name ? { files, problems: [] } : own.store.read(skill)),
    put: async () => 0,
    remove: async () => undefined,
  };
  const source = `${start.language === 'python' ? 'await' : 'return'} run_skill(${JSON.stringify(name)}, {})`;
  const result = await execute(
    source,
    {
      ...context,
      catalog: { ...context.catalog, resolve: replay.resolve, observe: () => undefined },
      // What was answered then is as the program got it: placeholders.
      redactorOf: () => NO_REDACTION,
      skills: () => ({ ...own, store }),
      sessions: { enter: scratchSession(context.sessions, start.session, folder) },
      program: { seed: start.seed, epochMs: start.epochMs },
      dataDir: folder,
    },
    { user, limits, signal, tenant: tenantOf(user, start.session), check: false },
  );
  if (result.status === 'failed') throw replayMismatch(start.id, `${result.error.name}: ${result.error.message}`);
  if (result.status === 'stopped') throw replayMismatch(start.id, result.message);
  const left = replay.left();
  if (left.length > 0) throw replayMismatch(start.id, `it did not call ${left.map(({ tool }) => tool).join(', ')}`);
}

/** The error of an execution that is no skill; `reason` ends the sentence. */
export function replayMismatch(id: string, reason: string): ToolwrightError {
  const message = `The skill made of execution ${id} does not do what that did: ${reason}. Save it with its code instead.`;
  return new ToolwrightError('SKILL_REPLAY_MISMATCH', message);
}

/** Answers calls as they were answered, each once, whatever their order. */
function replayCalls(calls: readonly JournalCall[]): {
  readonly resolve: Catalog['resolve'];
  left(): readonly JournalCall[];
} {
  const left = [...calls];
  const connector: Pick<Connector, 'call'> = {
    async call(tool, args) {
      const index = left.findIndex((call) => call.tool === tool && isDeepStrictEqual(call.arguments, plain(args)));
      const answer = left[index]?.answer;
      if (!answer) {
        const text = JSON.stringify(args);
        // Not a part of them: half a value is no longer recognised as one.
        const shownArguments =
          text.length > MAX_ARGUMENT_CHARACTERS ? `these ${text.length} characters of arguments` : text;
        const message = `${tool} was not called with ${shownArguments} then`;
        throw new ToolwrightError('SKILL_REPLAY_MISMATCH', message);
      }
      left.splice(index, 1);
      if (answer.ok) return answer.result;
      const { code = 'TOOL_FAILED', message = '' } = answer.result as { code?: ErrorCode; message?: string };
      throw new ToolwrightError(code, message);
    },
  };
  return {
    left: () => left,
    // The tool may have changed or be gone. The answers in the journal were valid.
    resolve: async (id) => ({
      tool: { id, server: '', definition: { name: id, inputSchema: true } },
      connector,
      writer: TYPESCRIPT_WRITER,
    }),
  };
}

/** The session of the execution as it is now, in which nothing is changed. */
function scratchSession(
  sessions: Pick<SessionStore, 'enter'>,
  session: string | undefined,
  folder: string,
): SessionStore['enter'] {
  return async (caller, id, quota) => {
    const visit = await sessions
      .enter({ ...caller, session }, id, quota)
      .catch(() => sessions.enter({ ...caller, session: undefined }, id, quota));
    const workspace = openWorkspace({ ...quota, root: `${folder}/workspace` });
    const files = overlayFiles(visit.workspace, workspace, 'workspace', quota.workspaceBytes);
    return { ...visit, workspace, mounts: { ...visit.mounts, workspace: files }, record: async () => undefined };
  };
}

/** As it is in a ledger. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
