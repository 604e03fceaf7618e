import type { ToolwrightConfig, ToolwrightOptions } from '@toolwright/core';
import { pick, UsageError } from '@toolwright/core/command';
import type { McpOptions, ProfileName } from '@toolwright/server/internal';
import { mayUse } from './project/prepare.ts';

/** The settings of the MCP server. */
export interface McpSettings {
  readonly profile: ProfileName;
  readonly personalData: NonNullable<McpOptions['personalData']>;
  /** Whether users of MCP clients may decide about approvals in the client. */
  readonly mayDecide: boolean;
  /** The ids of pinned tools. */
  readonly pinned: readonly string[];
  /** Whether clients call tools of servers directly. */
  readonly hasDirect: boolean;
  /** Name of the set of servers and tools. Default: that of the configuration. */
  readonly servers?: string;
}

/** The settings that `mcp` and `serve` share. */
export interface ServerSettings extends McpSettings {
  /** The configuration file, if any. */
  readonly file: string | undefined;
  readonly config: ToolwrightConfig;
  /** Options of `createToolwright`. */
  readonly options: ToolwrightOptions;
  /** Returns whether the file may be read again as it is now. */
  readonly mayReload: () => Promise<boolean>;
}

/** Reads the profile, the configuration and the settings for personal data. */
export async function serverSettings(
  command: string,
  values: Readonly<Record<'profile' | 'config' | 'sandbox', string | undefined>> & {
    readonly servers?: string | undefined;
  },
  words: readonly string[],
): Promise<ServerSettings> {
  if (words.length > 0) throw new UsageError(`"${command}" accepts no argument; remove "${words[0]}".`);
  const profile = profileOf(values.profile);
  const { findConfig, hasDirectTools, loadConfig, parseConfig } = await import('@toolwright/core/config');
  const file = findConfig({ path: values.config });
  const config = file === undefined ? parseConfig({}) : await loadConfig({ path: file });
  const personalData = { isReplaced: config.pii.mode !== 'off', canBeShown: config.pii.restoreTool ?? false };
  const mayDecide = config.waits.decideOverMcp;
  const options = { ...pick('config', file), ...pick('sandbox', values.sandbox) };
  const { pinned } = config;
  const hasDirect = hasDirectTools(config);
  const servers = pick('servers', knownProfile(values.servers, config));
  const mayReload = async () => file === undefined || mayUse(file, values.config);
  return { profile, personalData, mayDecide, pinned, hasDirect, ...servers, file, config, options, mayReload };
}

function profileOf(name = 'full'): ProfileName {
  if (name === 'full' || name === 'core') return name;
  throw new UsageError(`There is no profile "${name}". Use one of: full, core.`);
}

/** Returns the name of a profile of the configuration. Raises `UsageError` for another name. */
export function knownProfile(
  name: string | undefined,
  { profiles }: Pick<ToolwrightConfig, 'profiles'>,
): string | undefined {
  if (name === undefined || Object.hasOwn(profiles, name)) return name;
  const known = Object.keys(profiles).join(', ') || 'none';
  throw new UsageError(`The configuration has no profile "${name}". Its profiles are: ${known}.`);
}
