import type { LanguageName } from '@toolwright/sandbox';

/** One file of a skill. */
export interface SkillFile {
  /** Path inside the skill's folder: `SKILL.md`, `references/rules.md`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The same as text; absent where the bytes are no UTF-8. */
  readonly text?: string;
}

/** How a skill's main function is called in one language, as its code says. */
export interface SkillSignature {
  readonly language: LanguageName;
  /** Path of the code inside the skill's folder: `index.ts`, `__init__.py`. */
  readonly path: string;
  /** The line that runs it: `run_skill("filter-high-risk", {rows: Row[], limit?: number}): Row[]`. */
  readonly call: string;
  /** The functions that can be imported. */
  readonly exports: readonly string[];
}

/** What a list tells of a skill. */
export interface SkillSummary {
  readonly name: string;
  readonly description: string;
  /** Number of the saved version that this is, from 1; 0 for a folder that was changed by hand since. */
  readonly version: number;
  /** One for each language that the skill has code in; none for one of instructions only. */
  readonly signatures: readonly SkillSignature[];
}

/** One saved version of a skill. */
export interface SkillVersion {
  readonly version: number;
  /** ISO 8601. */
  readonly savedAt: string;
}

/** The front matter of a `SKILL.md`, with all fields that it has. */
export interface SkillFrontMatter {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly 'allowed-tools'?: string | readonly string[];
  readonly [field: string]: unknown;
}

/** One skill with everything in it. */
export interface Skill extends SkillSummary {
  readonly frontMatter: SkillFrontMatter;
  /** The Markdown below the front matter. */
  readonly body: string;
  /** All files, `SKILL.md` first, the others by path. */
  readonly files: readonly SkillFile[];
  /** The versions that are kept, newest first. */
  readonly versions: readonly SkillVersion[];
}

/** What the front matter of a new skill says beside its name. */
export interface SkillDescription {
  /** What it does and when to use it; 1 to 1,024 characters. */
  readonly description?: string;
  readonly license?: string;
  /** 1 to 500 characters. */
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly allowedTools?: readonly string[];
  /** Markdown below the front matter: how to use it. Written from the code when it is left out. */
  readonly body?: string;
}

/** A skill to be saved. It replaces the whole folder of a skill of the same name; older versions stay readable. */
export interface SkillDraft extends SkillDescription {
  /** Name of its folder: 1 to 64 lower-case letters, digits and single hyphens. */
  readonly name: string;
  /** Code of its main module: `index.ts`, or `__init__.py` in Python. */
  readonly code?: string;
  /** Language of `code`; `typescript` by default, which takes JavaScript too. */
  readonly language?: LanguageName;
  /** Further files by path. With a `SKILL.md` among them, nothing of {@link SkillDescription} is given. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** A skill to be made from an execution. */
export interface ExecutionSkillDraft extends SkillDescription {
  readonly name: string;
  /**
   * Constants of the program that become arguments, with their defaults: `{city: 'Berlin'}` for a program with
   * `const city = 'Berlin'` at its top level. None by default.
   */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** The skills of one user. Another user's are the same as none. */
export interface SkillLibrary {
  /** All skills by name; with a query those that fit it, best first. Folders that are no skills are left out. */
  list(query?: string): Promise<readonly SkillSummary[]>;
  /** One skill, the newest unless `version` says otherwise. Raises `UNKNOWN_SKILL`, `SKILL_INVALID`. */
  load(name: string, options?: { readonly version?: number }): Promise<Skill>;
  /**
   * Saves a skill as its next version, whole or not at all. Raises `SKILL_INVALID` with every problem named,
   * `WORKSPACE_FULL` over a quota.
   */
  save(draft: SkillDraft): Promise<SkillSummary>;
  /**
   * Makes a skill of the program of an execution that completed. Before it is saved it is run once, with the answers that
   * the tools gave then: nothing is sent. Raises `UNKNOWN_EXECUTION`, `SKILL_REPLAY_MISMATCH`, and what `save` raises.
   */
  saveExecution(executionId: string, draft: ExecutionSkillDraft): Promise<SkillSummary>;
  /** Deletes a skill with all its versions. Raises `UNKNOWN_SKILL`. */
  remove(name: string): Promise<void>;
}

/** Bounds of one skill and of all skills of one user. */
export const SKILL_LIMITS: {
  readonly files: number;
  readonly bytes: number;
  readonly skills: number;
  readonly allBytes: number;
  readonly versions: number;
  readonly versionBytes: number;
  readonly allVersionBytes: number;
} = {
  /** Files of one skill, and their bytes together: what the skills extension of MCP serves. */
  files: 512,
  bytes: 16 * 1024 * 1024,
  /** Skills of one user, and the bytes of their newest versions together. */
  skills: 500,
  allBytes: 256 * 1024 * 1024,
  /** Versions that are kept of one skill, and their bytes together; the newest is always kept. */
  versions: 20,
  versionBytes: 64 * 1024 * 1024,
  /** Bytes of all versions of all skills of one user. */
  allVersionBytes: 512 * 1024 * 1024,
};

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';
