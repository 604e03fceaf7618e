import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { read } from './sources.ts';

const { compilerOptions } = JSON.parse(read('tsconfig.json'));
const paths: Record<string, [string]> = compilerOptions.paths;

/** Returns the files and packages that a file loads before it runs. */
function loadedBy(entry: string): string[] {
  const loaded = new Set([entry]);
  for (const path of loaded) {
    if (!/\.(ts|cjs)$/.test(path)) continue;
    const text = read(path).replaceAll(/^(?:import|export) type\b[^;]*;/gm, '');
    for (const [, specifier = ''] of text.matchAll(/^(?:import|export)\b[^;'"]*? from '([^']+)';$/gm))
      loaded.add(join(specifier.startsWith('.') ? dirname(path) : '', paths[specifier]?.[0] ?? specifier));
  }
  return [...loaded];
}

// `--help` took 0.6 s in place of 0.16 when the options of two commands imported all of core.
it('loads no package of Toolwright as a whole, and no library, before a command is known', () => {
  const loaded = loadedBy('packages/toolwright/src/cli.ts');
  expect(loaded).toContain('packages/core/src/config/command.ts');
  const whole = loaded.filter((path) => /^packages\/\w+\/src\/(index|internal)\.ts$/.test(path));
  const libraries = loaded.filter((path) => !/^(node:|packages\/)/.test(path));
  expect([...whole, ...libraries]).toEqual([]);
});
