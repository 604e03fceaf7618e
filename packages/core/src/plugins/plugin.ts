import type { Connector } from '@toolwright/connectors';
import type { Command } from '../config/command.ts';
import type { Environment } from '../config/variables.ts';
import type { SkillDraft } from '../skills/skill.ts';
import type { PluginPage } from './page.ts';

/** The context of a plugin's object in the configuration. */
export interface PluginContext {
  /** Fills `${VAR}` references; see {@link configText}. */
  readonly env: Environment;
  /** Absolute folder of relative paths in the object. */
  readonly folder: string;
}

/** The part of a zod schema that Toolwright uses. The types of two copies of zod are not assignable to each other. */
export interface SettingsSchema<Settings> {
  safeParse(
    value: unknown,
    options?: object,
  ): { readonly success: true; readonly data: Settings } | { readonly success: false; readonly error: unknown };
}

/** A package that adds servers to Toolwright. One object of the configuration file configures it. */
export interface Plugin<Settings = unknown> {
  /** Name of its package, for errors. */
  readonly name: string;
  /** Key of its object in the configuration file. */
  readonly key: string;
  /** Returns the schema of its object. It may be of any copy of zod 4. */
  schema(context: PluginContext): SettingsSchema<Settings>;
  /** Creates its servers from valid settings. It must not open or send anything before a tool needs it. */
  connectors(settings: Settings): readonly Connector[] | Promise<readonly Connector[]>;
  /** Its commands on the command line: `toolwright NAME …`. */
  readonly commands?: readonly Command[];
  /** Its skills. Every user can run and override them. Default: none. */
  readonly skills?: readonly SkillDraft[];
  /** Its pages in the dashboard. Default: none. */
  readonly pages?: readonly PluginPage[];
}
