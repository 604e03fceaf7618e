import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inlineConnector } from '@toolwright/connectors';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { parseConfig } from '../config/config.ts';
import type { Plugin } from './plugin.ts';
import { openPlugins } from './plugins.ts';

const weather: Plugin<{ city?: string | undefined }> = {
  name: 'toolwright-weather',
  key: 'weather',
  schema: () => z.strictObject({ city: z.string().optional() }),
  connectors: ({ city = 'nowhere' }) => [inlineConnector(`weather-${city}`, { tools: {} })],
};
const PACKAGE = `export default {
  name: '@toolwright/weather',
  key: 'weather',
  schema: () => ({ safeParse: (data) => ({ success: true, data }) }),
  connectors: ({ city }) => [{ name: 'weather-' + city }],
};`;

/** Opens the plugins of a configuration in a fresh folder, in which this package may be installed. */
async function open(root: object, given: readonly Plugin[] = [], installed?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'plugins-'));
  if (installed !== undefined) {
    const target = join(folder, 'node_modules', installed);
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'package.json'), '{"type":"module","exports":"./index.js"}');
    writeFileSync(join(target, 'index.js'), PACKAGE);
  }
  const warnings: string[] = [];
  const config = parseConfig({ ...root }, { file: join(folder, 'toolwright.json'), env: {} });
  const { connectors } = await openPlugins({
    given,
    config,
    env: {},
    warn: (_fields, message) => warnings.push(message),
  });
  return { names: connectors.map(({ name }) => name), warnings };
}

test('a plugin of the embedding program reads its object of the configuration', async () => {
  expect(await open({}, [weather])).toEqual({ names: ['weather-nowhere'], warnings: [] });
  expect(await open({ weather: { city: 'Bern' } }, [weather])).toEqual({ names: ['weather-Bern'], warnings: [] });
});

test('a plugin named in the configuration is loaded from its folder', async () => {
  const root = { plugins: ['toolwright-weather'], weather: { city: 'Rome' } };
  expect(await open(root, [], 'toolwright-weather')).toEqual({ names: ['weather-Rome'], warnings: [] });
});

test('a Toolwright plugin is found by its object alone', async () => {
  expect((await open({ weather: { city: 'Oslo' } }, [], '@toolwright/weather')).names).toEqual(['weather-Oslo']);
});

test.each([[['same', 'same']], [['Not a key']]])('pages with the keys %j are an error with the fix', async (keys) => {
  const pages = keys.map((key) => ({ key, title: key, emptyText: '', tools: [], graphs: () => [] }));
  await expect(open({}, [{ ...weather, pages }])).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('its own key'),
  });
});

test('a named plugin that is not installed is an error with the package to install', async () => {
  await expect(open({ plugins: ['toolwright-gone'] })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'The plugin toolwright-gone is not installed. Install it: npm install toolwright-gone',
  });
});

test('an object without a plugin is a warning with the name of the package', async () => {
  expect(await open({ gone: { a: 1 } })).toEqual({
    names: [],
    warnings: ['"gone" is ignored: no installed plugin reads it. Is @toolwright/gone missing?'],
  });
});

test('invalid settings are reported with their path', async () => {
  await expect(open({ weather: { cty: 'Bern' } }, [weather])).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('weather: unknown key "cty" (did you mean "city"?)'),
  });
});
