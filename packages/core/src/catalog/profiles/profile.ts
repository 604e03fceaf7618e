import type { ToolIdentity } from '@toolwright/connectors';
import { toolId } from '@toolwright/connectors';
import { shorten } from '@toolwright/connectors/internal';
import { ToolwrightError } from '../../errors.ts';
import { compileGlobs, globProblem, mayStart } from '../../glob.ts';
import { suggest } from '../names/suggest.ts';
import { unmatchedGlob } from '../names/unmatched-glob.ts';

/** The profile of a client that may use all tools. No configured profile can have this name. */
export const ALL_TOOLS = '*';

/** The part of the catalog that a method shows. */
export interface ProfileOptions {
  /**
   * Name of a profile: only its servers and tools are known. `*` has all tools. Default: the setting `defaultProfile`, else all tools. An
   * unknown profile, and one that names nothing, raise `CONFIG_INVALID`.
   */
  readonly profile?: string | undefined;
}

/** A named set of servers and tools. A client of a profile knows nothing else. */
export interface Profile {
  /** Absent for a set that nobody chose: the tools that programs may call. */
  readonly name?: string | undefined;
  /** Whether all tools of this server are in the set, with its resources and prompts. */
  hasServer(server: string): boolean;
  /** Whether tools of this server may be in the set. */
  mayHave(server: string): boolean;
  /** Whether a tool with this id and server is in the set. */
  has(tool: ToolIdentity): boolean;
  /** Returns why a tool is not in the set, as the start of a sentence about it. It is the same for tools that do not exist. */
  note(tool: ToolIdentity): string;
}

/** The profiles of a configuration. */
export interface Profiles {
  /** Returns all profiles, also wrong ones with their problem. */
  all(): readonly { readonly name: string; readonly problem?: string }[];
  /**
   * Returns a profile; the default one without a name. Returns undefined where all tools may be used. Raises `CONFIG_INVALID` for an
   * unknown name, and for a profile that names nothing.
   */
  find(name?: string): Profile | undefined;
}

export interface ProfilesOptions {
  /** The setting `profiles`, as the file has it. */
  readonly profiles: Readonly<Record<string, unknown>>;
  /** Name of the profile of clients that choose none. Default: they may use all tools. */
  readonly defaultProfile?: string | undefined;
  /** Returns the names of all configured servers, also of disabled ones. */
  readonly servers: () => readonly string[];
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const MEMBERS = ['servers', 'tools'] as const;
const MAX_NAMED = 20;

/** Opens the profiles of a configuration. A wrong profile is a problem of its clients only. */
export function openProfiles({ profiles, defaultProfile, servers }: ProfilesOptions): Profiles {
  const names = Object.keys(profiles);
  return {
    all: () =>
      names.map((name) => {
        const problem = profileProblem(name, profiles[name], servers());
        return problem === undefined ? { name } : { name, problem };
      }),
    find(wanted = defaultProfile) {
      if (wanted === undefined || wanted === ALL_TOOLS) return undefined;
      if (!Object.hasOwn(profiles, wanted)) throw unknownProfile(wanted, names);
      const problem = profileProblem(wanted, profiles[wanted], servers());
      if (problem === undefined) return compile(wanted, profiles[wanted] as ProfileSets);
      throw new ToolwrightError('CONFIG_INVALID', problem, { details: { profile: wanted } });
    },
  };
}

/** The sets of a profile: globs, as in the rules of the policy. */
interface ProfileSets {
  readonly servers?: readonly string[];
  readonly tools?: readonly string[];
}

function compile(name: string, { servers = [], tools = [] }: ProfileSets): Profile {
  const hasServer = servers.length === 0 ? () => false : compileGlobs(servers);
  const hasTool = tools.length === 0 ? () => false : compileGlobs(tools);
  return {
    name,
    hasServer,
    mayHave: (server) => hasServer(server) || tools.some((glob) => mayStart(glob, toolId(server, ''))),
    has: ({ id, server }) => hasServer(server) || hasTool(id),
    note: () => `The profile "${name}" has no such tool. `,
  };
}

/** Returns why a profile cannot be used, and the fix; undefined for a right one. */
function profileProblem(name: string, sets: unknown, known: readonly string[]): string | undefined {
  const where = `profiles.${shorten(name, 30)}`;
  if (!NAME.test(name)) {
    return `${where}: a name of a profile has 1 to 64 letters, digits, ".", "_" and "-", and starts with a letter or a digit. Rename it.`;
  }
  if (typeof sets !== 'object' || sets === null || Array.isArray(sets)) {
    return `${where}: expected an object with "servers" or "tools", such as { "servers": ["github"] }.`;
  }
  const other = Object.keys(sets).find((key) => !MEMBERS.some((member) => member === key));
  if (other !== undefined) {
    return `${where}: unknown member "${shorten(other, 30)}". A profile has "servers" and "tools".`;
  }
  let count = 0;
  for (const member of MEMBERS) {
    const globs: unknown = (sets as Record<string, unknown>)[member] ?? [];
    if (!Array.isArray(globs)) return `${where}.${member}: expected a list of names or globs.`;
    for (const [index, glob] of globs.entries()) {
      const problem = globProblem(glob) ?? unmatchedGlob(member, String(glob), known);
      if (problem !== undefined) return `${where}.${member}[${index}]: ${problem}`;
    }
    count += globs.length;
  }
  if (count > 0) return undefined;
  return `${where}: it names nothing. Name servers or tools, such as { "servers": ["github"] }.`;
}

function unknownProfile(name: string, names: readonly string[]): ToolwrightError {
  const suggestions = suggest(name, names, 3);
  const hint =
    suggestions.length > 0
      ? `Did you mean ${suggestions.join(', ')}?`
      : `The profiles are: ${names.slice(0, MAX_NAMED).join(', ') || 'none'}.`;
  const message = `There is no profile "${shorten(name, 30)}". ${hint}`;
  return new ToolwrightError('CONFIG_INVALID', message, { details: { profile: name, suggestions } });
}
