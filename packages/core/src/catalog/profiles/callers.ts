import { compileGlobs, type GlobTest } from '../../glob.ts';
import type { Profile } from './profile.ts';

/** The callers of a tool: programs, clients of the MCP server directly, or both. */
export const CALLERS = ['program', 'direct', 'both'] as const;

/** The settings of the callers of tools. */
export interface CallerSettings {
  /** Globs of tools that clients call too. */
  readonly direct: readonly string[];
  /** Callers by glob. The first one that matches decides, before `direct`. */
  readonly callers: Readonly<Record<string, (typeof CALLERS)[number]>>;
}

/** The callers of tools. */
export interface Callers {
  /** Returns the tools of a profile, or of all, that clients call directly. */
  direct(profile: Profile | undefined): Profile;
  /** Returns the tools of a profile, or of all, that programs call. */
  programs(profile: Profile | undefined): Profile | undefined;
}

const ALL: Profile = { hasServer: () => true, mayHave: () => true, has: () => true, note: () => '' };

/** Returns whether clients call a tool directly. */
export function hasDirectTools({ direct, callers }: CallerSettings): boolean {
  return direct.length > 0 || Object.values(callers).some((who) => who !== 'program');
}

/** Compiles the settings. */
export function compileCallers({ direct, callers }: CallerSettings): Callers {
  const isDirect = direct.length === 0 ? () => false : compileGlobs(direct);
  const rules = Object.entries(callers).map(([glob, who]): [GlobTest, string] => [compileGlobs(glob), who]);
  const callerOf = (id: string) => rules.find(([matches]) => matches(id))?.[1] ?? (isDirect(id) ? 'both' : 'program');
  const allows = (profile: Profile, isAllowed: (caller: string) => boolean): Profile['has'] => {
    return (tool) => profile.has(tool) && isAllowed(callerOf(tool.id));
  };
  return {
    direct: (profile = ALL) => ({ ...profile, has: allows(profile, (who) => who !== 'program') }),
    programs(profile) {
      if (!rules.some(([, who]) => who === 'direct')) return profile;
      const base = profile ?? ALL;
      const has = allows(base, (who) => who !== 'direct');
      return {
        ...base,
        has,
        note: (tool) =>
          base.has(tool) && !has(tool)
            ? 'Programs cannot call it: it is a tool of the client. Call it directly. '
            : base.note(tool),
      };
    },
  };
}
