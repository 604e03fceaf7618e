import { isObject } from '@toolwright/connectors/internal';
import * as z from 'zod';
import { CALLERS, type CallerSettings } from '../../catalog/profiles/callers.ts';
import { globProblem } from '../../glob.ts';
import { TOOL_PROFILES } from '../command.ts';
import { setting } from '../setting.ts';

/**
 * The profiles, as the file has them. They are checked when a client chooses one: a mistake in one profile must not stop the clients of the
 * others.
 */
export const profilesSetting: z.ZodType<Readonly<Record<string, unknown>>> = setting(
  z.custom<Readonly<Record<string, unknown>>>(isObject, 'expected an object of profiles, by name').default({}),
  {
    description:
      '[named sets](profiles.md), which clients choose: `{ "work": { "servers": ["github"], "tools": ["crm__get_*"] } }`',
    defaultText: 'none',
  },
);

/** The profile of clients that choose none. */
export const defaultProfileSetting: z.ZodType<string | undefined> = setting(z.string().min(1).optional(), {
  description: 'the [profile](profiles.md) of clients that choose none',
  env: 'TOOLWRIGHT_DEFAULT_PROFILE',
  defaultText: 'all tools',
});

/** The own tools that clients of the MCP server list. */
export const toolProfileSetting: z.ZodType<(typeof TOOL_PROFILES)[number]> = setting(
  z.enum(TOOL_PROFILES).default('core'),
  {
    description:
      'the [tools of Toolwright itself](mcp-server.md#choose-the-tool-profile) that clients of the MCP server list: `core` (two) or `full` (all)',
    env: 'TOOLWRIGHT_TOOL_PROFILE',
  },
);

const glob = z.string().superRefine((text, context) => {
  const problem = globProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/** The tools that clients of the MCP server call too. */
export const directSetting: z.ZodType<CallerSettings['direct']> = setting(z.array(glob).default([]), {
  description: 'ids or globs of tools that MCP clients also [call directly](mcp-server.md#offer-tools-directly)',
});

/** The callers of a tool. */
export const callersSetting: z.ZodType<CallerSettings['callers']> = setting(
  z.record(glob, z.enum(CALLERS)).default({}),
  {
    description:
      'the callers of a tool, by id or glob: `program`, `direct` or `both`. The first match decides, before `direct`',
    defaultText: '`program`',
  },
);
