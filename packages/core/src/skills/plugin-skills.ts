import type { Language } from '@toolwright/sandbox';
import { DEFAULT_LIMITS } from '../config/sections/limits.ts';
import { ToolwrightError } from '../errors.ts';
import type { SkillDraft, SkillFile } from './skill.ts';
import type { SkillStore } from './store.ts';
import { filesOf } from './text/draft.ts';
import { validateSkill } from './text/validation.ts';

/** The files of skills that plugins provide, by name. */
export type PluginSkills = ReadonlyMap<string, readonly SkillFile[]>;

/** A skill with the name of the plugin that provides it. */
export interface PluginSkillDraft {
  readonly plugin: string;
  readonly draft: SkillDraft;
}

/** Validates the skills of plugins. Raises `CONFIG_INVALID` with the plugin, the skill and every problem. */
export async function readPluginSkills(
  provided: readonly PluginSkillDraft[],
  languages: readonly Language[],
  codeBytes: number = DEFAULT_LIMITS.sourceBytes,
): Promise<PluginSkills> {
  const skills = new Map<string, readonly SkillFile[]>();
  for (const { plugin, draft } of provided) {
    const { files, problems } = await filesOf(draft, languages);
    const all = [...problems, ...(await validateSkill(String(draft.name), files, { codeBytes })).problems];
    if (skills.has(draft.name)) all.push('Another plugin provides a skill with this name.');
    if (all.length > 0) {
      const message = `The skill "${draft.name}" of the plugin ${plugin} is not valid. ${all.join(' ')}`;
      throw new ToolwrightError('CONFIG_INVALID', message);
    }
    skills.set(draft.name, files);
  }
  return skills;
}

/**
 * Adds the skills of plugins to the skills of one user. They have no versions and cannot be removed. A saved skill with the
 * same name overrides the plugin's, until it is removed.
 */
export function withPluginSkills(store: SkillStore, skills: PluginSkills): SkillStore {
  if (skills.size === 0) return store;
  return {
    ...store,
    names: async () => [...new Set([...skills.keys(), ...(await store.names())])].sort(),
    async read(name) {
      const files = skills.get(name);
      return (await store.read(name)) ?? (files && { files, problems: [] });
    },
    async remove(name, options) {
      if (skills.has(name) && !(await store.read(name))) {
        const message = `The skill "${name}" belongs to a plugin and cannot be removed. Save a skill with this name to override it.`;
        throw new ToolwrightError('NOT_ALLOWED', message);
      }
      await store.remove(name, options);
    },
  };
}
