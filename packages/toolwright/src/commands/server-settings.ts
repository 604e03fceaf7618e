import type { ToolwrightConfig, ToolwrightOptions } from '@toolwright/core';
import { pick, TOOL_PROFILES, UsageError } from '@toolwright/core/command';
import type { McpOptions, ToolProfile } from '@toolwright/server/internal';
import { mayUse } from './project/prepare.ts';

/** The settings of the MCP server. */
export interface McpSettings {
  /** The own tools that clients list. */
  readonly profile: ToolProfile;
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
  const { findConfig, hasDirectTools, loadConfig, parseConfig } = await import('@toolwright/core/config');
  const file = findConfig({ path: values.config });
  const config = file === undefined ? parseConfig({}) : await loadConfig({ path: file });
  const profile = values.profile === undefined ? config.toolProfile : profileOf(values.profile, config);
  const personalData = { isReplaced: config.pii.mode !== 'off', canBeShown: config.pii.restoreTool ?? false };
  const mayDecide = config.waits.decideOverMcp;
  const options = { ...pick('config', file), ...pick('sandbox', values.sandbox) };
  const { pinned } = config;
  const hasDirect = hasDirectTools(config);
  const servers = pick('servers', knownProfile(values.servers, config));
  const mayReload = async () => file === undefined || mayUse(file, values.config);
  return { profile, personalData, mayDecide, pinned, hasDirect, ...servers, file, config, options, mayReload };
}

/** Returns the tool profile of the option `--profile`. Raises `UsageError` for another name, such as one that `--servers` accepts. */
function profileOf(name: string, { profiles }: ToolwrightConfig): ToolProfile {
  const known = TOOL_PROFILES.find((profile) => profile === name);
  if (known) return known;
  const fix = Object.hasOwn(profiles, name)
    ? `"${name}" is a profile of the configuration: use --servers ${name}, or /mcp/${name} over HTTP.`
    : `Use one of: ${TOOL_PROFILES.join(', ')}.`;
  throw new UsageError(`There is no tool profile "${name}". ${fix}`);
}

/** Returns the name of a profile of the configuration. Raises `UsageError` for another name. */
export function knownProfile(name: string | undefined, { profiles }: ToolwrightConfig): string | undefined {
  if (name === undefined || Object.hasOwn(profiles, name)) return name;
  const known = Object.keys(profiles).join(', ') || 'none';
  const fix = TOOL_PROFILES.some((profile) => profile === name)
    ? ` For the tools of Toolwright itself, use --profile ${name}.`
    : '';
  throw new UsageError(`The configuration has no profile "${name}". Its profiles are: ${known}.${fix}`);
}
