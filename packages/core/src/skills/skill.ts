import type { LanguageName } from '@toolwright/sandbox';

/** One file of a skill. */
export interface SkillFile {
  /** Path inside the skill's folder: `SKILL.md`, `references/rules.md`. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The content as text; absent when the bytes are not UTF-8. */
  readonly text?: string;
}

/** The call of a skill's main function in one language, read from its code. */
export interface SkillSignature {
  readonly language: LanguageName;
  /** Path of the code inside the skill's folder: `index.ts`, `__init__.py`. */
  readonly path: string;
  /** The line that runs it: `run_skill("filter-high-risk", {rows: Row[], limit?: number}): Row[]`. */
  readonly call: string;
  /** The functions that programs can import. */
  readonly exports: readonly string[];
}

/** A skill in a list. */
export interface SkillSummary {
  readonly name: string;
  readonly description: string;
  /** The number of the saved version, starting at 1; 0 for a folder that was edited by hand since. */
  readonly version: number;
  /** One per language of the skill's code; none for a skill with instructions only. */
  readonly signatures: readonly SkillSignature[];
  /** Why programs cannot use it, with the fix; absent for a valid skill. A broken skill has no description and no signatures. */
  readonly problem?: string;
}

/** One saved version of a skill. */
export interface SkillVersion {
  readonly version: number;
  /** ISO 8601. */
  readonly savedAt: string;
}

/** The front matter of a `SKILL.md`, with all its fields. */
export interface SkillFrontMatter {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly 'allowed-tools'?: string | readonly string[];
  readonly [field: string]: unknown;
}

/** A complete skill. */
export interface Skill extends SkillSummary {
  readonly frontMatter: SkillFrontMatter;
  /** The Markdown below the front matter. */
  readonly body: string;
  /** All files, `SKILL.md` first, the others by path. */
  readonly files: readonly SkillFile[];
  /** The saved versions, newest first. */
  readonly versions: readonly SkillVersion[];
}

/** The front matter of a new skill, without its name, and the text below. */
export interface SkillDescription {
  /** The purpose of the skill and when to use it; 1 to 1,024 characters. */
  readonly description?: string;
  readonly license?: string;
  /** 1 to 500 characters. */
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly allowedTools?: readonly string[];
  /** Markdown below the front matter: how to use the skill. By default it is generated from the code. */
  readonly body?: string;
}

/** A skill to be saved. It replaces the folder of a skill with the same name; older versions stay readable. */
export interface SkillDraft extends SkillDescription {
  /** Name of its folder: 1 to 64 lower-case letters, digits and single hyphens. Underscores become hyphens. */
  readonly name: string;
  /** Code of its main module: `index.ts`, or `__init__.py` in Python. */
  readonly code?: string;
  /** The language of `code`; `typescript` accepts JavaScript too. Default: `python` for code that can only be Python, else `typescript`. */
  readonly language?: LanguageName;
  /** Other files by path. A draft with its own `SKILL.md` has no fields of {@link SkillDescription}. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** A skill to be created from an execution. */
export interface ExecutionSkillDraft extends SkillDescription {
  readonly name: string;
  /**
   * Top-level constants of the program that become arguments, with their defaults: `{city: 'Berlin'}` for a program with
   * `const city = 'Berlin'`. Default: none.
   */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** The skills of one user. Skills of other users are reported as unknown. */
export interface SkillLibrary {
  /** Returns all valid skills by name, or those that match a query, best first. */
  list(query?: string): Promise<readonly SkillSummary[]>;
  /** Returns one skill, by default its newest version. Raises `UNKNOWN_SKILL`, `SKILL_INVALID`. */
  load(name: string, options?: { readonly version?: number }): Promise<Skill>;
  /**
   * Saves a skill atomically as its next version. Raises `SKILL_INVALID` with every problem, and `WORKSPACE_FULL` over a
   * quota.
   */
  save(draft: SkillDraft): Promise<SkillSummary>;
  /**
   * Creates a skill from the program of a completed execution. First the skill is run once with the recorded answers of the
   * tools; nothing is sent. Raises `UNKNOWN_EXECUTION`, `SKILL_REPLAY_MISMATCH`, and the errors of `save`.
   */
  saveExecution(executionId: string, draft: ExecutionSkillDraft): Promise<SkillSummary>;
  /** Deletes a skill and all its versions. Raises `UNKNOWN_SKILL`. */
  remove(name: string): Promise<void>;
}

/** The limits of one skill, and of all skills of one user. */
export const SKILL_LIMITS: {
  readonly files: number;
  readonly bytes: number;
  readonly skills: number;
  readonly allBytes: number;
  readonly versions: number;
  readonly versionBytes: number;
  readonly allVersionBytes: number;
} = {
  /** Files of one skill, and their bytes together: the limits of the skills extension of MCP. */
  files: 512,
  bytes: 16 * 1024 * 1024,
  /** Skills of one user, and the bytes of their newest versions together. */
  skills: 500,
  allBytes: 256 * 1024 * 1024,
  /** Saved versions of one skill, and their bytes together. The newest is always kept. */
  versions: 20,
  versionBytes: 64 * 1024 * 1024,
  /** Bytes of all versions of all skills of one user. */
  allVersionBytes: 512 * 1024 * 1024,
};

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';

/** The folders of a user with skills and their versions. */
export const SKILL_FOLDERS: ReadonlySet<string> = new Set(['skills', 'skill-versions']);
