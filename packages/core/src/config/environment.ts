import { resolve } from 'node:path';
import * as z from 'zod';
import { isObject } from './problems.ts';
import { settingsSchema } from './schema.ts';
import { innermost, type Setting, settingsOf } from './setting.ts';
import type { Environment } from './variables.ts';

/** Settings of the environment by path, each with the name of its variable. */
export type EnvironmentSettings = ReadonlyMap<string, { readonly variable: string; readonly value: unknown }>;

/** Accepted spellings of true and false in the environment. */
const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'on', 'yes'].map((word): [string, boolean] => [word, true]),
  ...['0', 'false', 'off', 'no'].map((word): [string, boolean] => [word, false]),
]);

/** Reads all settings that have an environment variable. A relative data folder starts in `cwd`. */
export function environmentSettings(env: Environment, cwd: string): EnvironmentSettings {
  const settings = new Map<string, { variable: string; value: unknown }>();
  for (const setting of settingsOf(settingsSchema)) {
    const { env: variable, path } = setting;
    const text = variable === undefined ? undefined : env[variable];
    if (variable === undefined || text === undefined || text === '') continue;
    settings.set(path, { variable, value: path === 'dataDir' ? resolve(cwd, text) : parseVariable(setting, text) });
  }
  return settings;
}

/** Returns the configuration, overridden by the settings of the environment. */
export function withEnvironment(root: Readonly<Record<string, unknown>>, settings: EnvironmentSettings): unknown {
  const merged: Record<string, unknown> = { ...root };
  for (const [path, { value }] of settings) {
    const [outer = path, inner] = path.split('.');
    if (inner === undefined) merged[outer] = value;
    else if (merged[outer] === undefined || isObject(merged[outer]))
      merged[outer] = { ...merged[outer], [inner]: value };
  }
  return merged;
}

/** Returns the variable of a setting in place of its path, so that a problem names the variable. */
export function environmentPath(path: readonly PropertyKey[], settings: EnvironmentSettings): readonly PropertyKey[] {
  const source = settings.get(path.join('.'));
  return source === undefined ? path : [source.variable];
}

function parseVariable({ schema, envUnit = 1 }: Setting, text: string): unknown {
  const inner = innermost(schema);
  if (inner instanceof z.ZodBoolean) return TRUTH.get(text.toLowerCase()) ?? text;
  if (inner instanceof z.ZodNumber) return /^\d+$/.test(text) ? Number(text) * envUnit : text;
  return inner instanceof z.ZodArray ? text.split(',').map((name) => name.trim()) : text;
}
