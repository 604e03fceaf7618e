import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolwrightError } from '../../errors.ts';
import type { ExecutionContext } from '../../execution/execute.ts';
import type { Limits } from '../../execution/limits.ts';
import { type JournalContent, readJournal } from '../../journal/file.ts';
import { filesOf } from '../draft.ts';
import { invalidSkill } from '../library.ts';
import type { ExecutionSkillDraft, SkillDraft, SkillSummary } from '../skill.ts';
import { validateSkill } from '../validation.ts';
import { checkReplay, replayMismatch } from './replay-check.ts';

export interface SkillMakerOptions {
  readonly user: string;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** What the language of the execution's program is run with. */
  readonly contextFor: (language: string) => Promise<ExecutionContext>;
  readonly dataDir: string;
}

/** Saves the program of an execution as a skill, after it was proven: see `SkillLibrary.saveExecution`. */
export async function saveExecution(
  id: string,
  draft: ExecutionSkillDraft,
  options: SkillMakerOptions,
): Promise<SkillSummary> {
  const { user, dataDir } = options;
  const journal = await ownJournal(id, user, join(dataDir, 'executions'));
  const context = await options.contextFor(journal.start.language);
  const { parameters = {}, ...described } = draft;
  const whole: SkillDraft = {
    ...described,
    language: context.language.name,
    code: await context.language.moduleOf(journal.start.source, { description: draft.description ?? '', parameters }),
  };
  const { files, problems } = await filesOf(whole, [context.language]);
  const wrong = [...problems, ...validateSkill(String(draft.name), files).problems];
  if (wrong.length > 0) throw invalidSkill(String(draft.name), wrong);
  const folder = join(dataDir, 'proofs', randomUUID());
  try {
    await checkReplay({ ...options, journal, name: draft.name, files, folder }, context);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return context.skills(user).save(whole);
}

async function ownJournal(id: string, user: string, folder: string): Promise<JournalContent> {
  const journal = await readJournal(folder, String(id));
  if (!journal || (journal.start.user ?? 'local') !== user) {
    const message = `There is no execution "${String(id).slice(0, 64)}". Take the id of a result.`;
    throw new ToolwrightError('UNKNOWN_EXECUTION', message);
  }
  if (journal.status === 'completed') return journal;
  throw replayMismatch(
    id,
    `it ${journal.status === undefined ? 'has no end' : `was ${journal.status}`}, and only what completed can be a skill`,
  );
}
