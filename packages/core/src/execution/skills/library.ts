import { DEFAULT_USER } from '../../owner-name.ts';
import type { StoredSkills } from '../../skills/library.ts';
import type { SkillLibrary } from '../../skills/skill.ts';
import type { ActiveExecutions } from '../control/active-executions.ts';
import { type SaveExecutionOptions, saveExecution } from './save-execution.ts';

export interface SkillsApiOptions extends Omit<SaveExecutionOptions, 'userId' | 'signal'> {
  /** Returns the stored skills of a user. */
  readonly skills: (userId: string) => StoredSkills;
  readonly active: ActiveExecutions;
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
