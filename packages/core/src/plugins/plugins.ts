import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Connector } from '@toolwright/connectors';
import type { ZodError } from 'zod';
import type { Command } from '../config/command.ts';
import type { ToolwrightConfig } from '../config/config.ts';
import { PARSING, pathText, schemaProblems } from '../config/problems.ts';
import type { Environment } from '../config/variables.ts';
import { messageOf, ToolwrightError } from '../errors.ts';
import type { PluginSkillDraft } from '../skills/plugin-skills.ts';
import type { PluginPage } from './page.ts';
import type { Plugin } from './plugin.ts';

export interface OpenPluginsOptions {
  /** Plugins of the embedding program. */
  readonly given: readonly Plugin[];
  readonly config: ToolwrightConfig;
  readonly env?: Environment;
  /** Receives a warning for an object of the configuration without an installed plugin. */
  readonly warn: (fields: object, message: string) => void;
}

/** The contributions of all plugins. */
export interface OpenedPlugins {
  readonly connectors: readonly Connector[];
  readonly skills: readonly PluginSkillDraft[];
  readonly pages: readonly PluginPage[];
}

/**
 * Creates the servers of all plugins: of the embedding program, of the packages in `plugins`, and of packages with an
 * object in the configuration. The object `example` belongs to `@toolwright/example`. Raises `CONFIG_INVALID` for a
 * named plugin that is not installed, for invalid settings, and for two pages of one key.
 */
export async function openPlugins(options: OpenPluginsOptions): Promise<OpenedPlugins> {
  const { given, config } = options;
  const named = await Promise.all(config.plugins.map((name) => loadPlugin(name, config.folder)));
  const known = [...given, ...named];
  const detected = await detectPlugins(options, new Set(known.map(({ key }) => key)));
  const plugins = [...known, ...detected];
  return {
    connectors: (await Promise.all(plugins.map((plugin) => connectorsOf(plugin, options)))).flat(),
    skills: plugins.flatMap(({ name, skills = [] }) => skills.map((draft) => ({ plugin: name, draft }))),
    pages: pagesOf(plugins),
  };
}

/** Returns the commands of the plugins that a configuration names or has an object for. Raises `CONFIG_INVALID` like {@link openPlugins}. */
export async function pluginCommands(config: OpenPluginsOptions['config']): Promise<Command[]> {
  const named = await Promise.all(config.plugins.map((name) => loadPlugin(name, config.folder)));
  const known = new Set(named.map(({ key }) => key));
  const detected = await detectPlugins({ given: [], config, warn: () => undefined }, known);
  return [...named, ...detected].flatMap(({ commands = [] }) => commands);
}

function pagesOf(plugins: readonly Plugin[]): readonly PluginPage[] {
  const pages = plugins.flatMap(({ pages = [] }) => pages);
  const keys = pages.map(({ key }) => key);
  const wrong = keys.find((key, index) => !/^[a-z][a-z0-9-]*$/.test(key) || keys.indexOf(key) !== index);
  if (wrong === undefined) return pages;
  const message = `The key "${wrong}" of a plugin's page is invalid, or of two pages. Give each page its own key: lower-case letters, digits and hyphens.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

async function connectorsOf(
  plugin: Plugin,
  { config, env = process.env }: OpenPluginsOptions,
): Promise<readonly Connector[]> {
  const schema = plugin.schema({ env, folder: config.folder });
  const parsed = schema.safeParse(config.sections[plugin.key] ?? {}, PARSING);
  if (parsed.success) return plugin.connectors(parsed.data);
  const lines = schemaProblems(parsed.error as ZodError, [plugin.key]).map(
    ({ path, text }) => `  ${pathText(path)}: ${text}`,
  );
  const title = `${config.file} has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:`;
  throw new ToolwrightError('CONFIG_INVALID', [title, ...lines].join('\n'), {
    details: { file: config.file, problems: lines.map((line) => line.trim()) },
  });
}

async function detectPlugins({ config, warn }: OpenPluginsOptions, known: ReadonlySet<string>): Promise<Plugin[]> {
  const keys = Object.keys(config.sections).filter((key) => !known.has(key) && /^[a-z][a-z0-9-]*$/.test(key));
  const found = await Promise.all(
    keys.map(async (key) => {
      const name = `@toolwright/${key}`;
      if (entryOf(name, config.folder) !== undefined) return [await loadPlugin(name, config.folder)];
      warn({ file: config.file }, `"${key}" is ignored: no installed plugin reads it. Is ${name} missing?`);
      return [];
    }),
  );
  return found.flat();
}

async function loadPlugin(name: string, folder: string): Promise<Plugin> {
  const entry = entryOf(name, folder);
  if (entry === undefined) {
    const message = `The plugin ${name} is not installed. Install it: npm install ${name}`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  const loaded: { default?: unknown } = await import(pathToFileURL(entry).href).catch((cause: unknown) => {
    throw new ToolwrightError('CONFIG_INVALID', `The plugin ${name} cannot be loaded: ${messageOf(cause)}`, { cause });
  });
  if (isPlugin(loaded.default)) return loaded.default;
  const message = `The package ${name} is not a plugin: its default export must have name, key, schema and connectors.`;
  throw new ToolwrightError('CONFIG_INVALID', message);
}

/** Returns the path of a package's entry file, resolved from the configuration's folder, else from this package. */
function entryOf(name: string, folder: string): string | undefined {
  for (const from of [join(folder, 'toolwright.json'), import.meta.url]) {
    try {
      return createRequire(from).resolve(name);
    } catch {
      // The package may be in the next place.
    }
  }
  return undefined;
}

function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== 'object' || value === null) return false;
  const { name, key, schema, connectors } = value as Partial<Record<keyof Plugin, unknown>>;
  return [name, key].every((text) => typeof text === 'string') && [schema, connectors].every(isFunction);
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
