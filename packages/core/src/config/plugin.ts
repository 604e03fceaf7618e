import type * as z from 'zod';
import type { Connector } from '../connectors/connector.ts';
import type { Command } from './command.ts';
import type { Environment } from './variables.ts';

/** Where a plugin's object of the configuration comes from. */
export interface PluginContext {
  /** Fills `${VAR}` references; see {@link configText}. */
  readonly env: Environment;
  /** Absolute folder that relative paths of the object start from. */
  readonly folder: string;
}

/** A package that adds servers to Toolwright and is configured by an object of its own in the configuration file. */
export interface Plugin<Settings = unknown> {
  /** Its package, as errors name it. */
  readonly name: string;
  /** Key of its object in the configuration file. */
  readonly key: string;
  /** Returns the schema of its object. */
  schema(context: PluginContext): z.ZodType<Settings>;
  /** Makes its servers from checked settings. Nothing may be opened or sent before a tool needs it. */
  connectors(settings: Settings): readonly Connector[];
  /** Its commands on the command line: `toolwright NAME …`. */
  readonly commands?: readonly Command[];
}
