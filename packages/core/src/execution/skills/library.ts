import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ALL_TOOLS } from '../../catalog/profiles/profile.ts';
import type { Limits } from '../../config/sections/limits.ts';
import { ToolwrightError } from '../../errors.ts';
import type { ExecutionStorage } from '../../history/storages/storage.ts';
import type { JournalContent } from '../../journal/content.ts';
import { DEFAULT_USER } from '../../owner-name.ts';
import { invalidSkill, type StoredSkills } from '../../skills/library.ts';
import type { ExecutionSkillDraft, SkillDraft, SkillLibrary, SkillSummary } from '../../skills/skill.ts';
import { filesOf } from '../../skills/text/draft.ts';
import { validateSkill } from '../../skills/text/validation.ts';
import type { ActiveExecutions } from '../control/active-executions.ts';
import type { ExecutionContext } from '../execution.ts';
import { checkReplay, replayMismatch } from './replay-check.ts';

interface SkillsApiOptions extends Omit<SaveExecutionOptions, 'userId' | 'signal'> {
  /** Returns the stored skills of a user. */
  readonly skills: (userId: string) => StoredSkills;
  readonly active: ActiveExecutions;
}

interface SaveExecutionOptions {
  readonly userId: string;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** Returns the context to run programs of a language in. */
  readonly contextFor: (
    language: string,
    options: { readonly userId: string; readonly profile: string },
  ) => Promise<ExecutionContext>;
  readonly dataDir: string;
  readonly storage: ExecutionStorage;
}

/** Creates the skills of a Toolwright: the stored skills of each user, and `saveExecution` with its replay check. */
export function createSkillsApi({ skills, active, ...options }: SkillsApiOptions): (userId?: string) => SkillLibrary {
  return (userId = DEFAULT_USER) => {
    const { list, load, save, remove } = skills(userId);
    return {
      list,
      load,
      save,
      remove,
      saveExecution: (executionId, draft) =>
        active.run(undefined, (signal) => saveExecution(executionId, draft, { ...options, userId, signal })),
    };
  };
}

/** Saves the program of an execution as a skill, after a replay check; see `SkillLibrary.saveExecution`. */
async function saveExecution(
  id: string,
  draft: ExecutionSkillDraft,
  options: SaveExecutionOptions,
): Promise<SkillSummary> {
  const { userId, dataDir, storage } = options;
  const journal = await readOwnJournal(id, userId, storage);
  const context = await options.contextFor(journal.start.language, {
    userId,
    profile: journal.start.profile ?? ALL_TOOLS,
  });
  const { parameters = {}, ...described } = draft;
  const whole: SkillDraft = {
    ...described,
    language: context.language.name,
    code: await context.language.moduleOf(journal.start.source, { description: draft.description ?? '', parameters }),
  };
  const { files, problems } = await filesOf(whole, [context.language]);
  const wrong = [
    ...problems,
    ...(
      await validateSkill(String(draft.name), files, { userId, codeBytes: options.limits.sourceBytes, isStrict: true })
    ).problems,
  ];
  if (wrong.length > 0) throw invalidSkill(String(draft.name), wrong);
  const folder = join(dataDir, 'proofs', randomUUID());
  try {
    await checkReplay({ ...options, journal, name: draft.name, files, folder }, context);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return context.skills(userId).save(whole);
}

async function readOwnJournal(id: string, userId: string, storage: ExecutionStorage): Promise<JournalContent> {
  const journal = await storage.content(String(id));
  if (!journal || (journal.start.user ?? DEFAULT_USER) !== userId) {
    const message = `There is no execution "${String(id).slice(0, 64)}". Pass the executionId of a result.`;
    throw new ToolwrightError('UNKNOWN_EXECUTION', message);
  }
  if (journal.start.dryRun)
    throw replayMismatch(id, 'the execution is a dry run, and the results of its calls are invented');
  if (journal.status === 'completed') return journal;
  const status = journal.status === undefined ? 'did not end' : `has the status "${journal.status}"`;
  throw replayMismatch(id, `the execution ${status}, and only a completed one can become a skill`);
}
