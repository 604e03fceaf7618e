import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LanguageName } from '@toolwright/sandbox';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../../test/fixtures/bridge-host.ts';
import { skillFile } from '../../skills/folder.ts';
import { noPackages } from './packages.ts';
import { packageRecorder, skillPackageCheck } from './skill-packages.ts';

const folder = temporaryFolder();
mkdirSync(join(folder, 'pyyaml-6.0.2.dist-info'));
writeFileSync(join(folder, 'pyyaml-6.0.2.dist-info', 'RECORD'), 'yaml/__init__.py,sha256=x,1\n_yaml.py,,\n');

function packagesWith(installed: Partial<Record<LanguageName, Readonly<Record<string, string>>>>) {
  const listed = (language: LanguageName) =>
    Object.entries(installed[language] ?? {}).map(([name, version]) => ({ name, version }));
  return { ...noPackages(), python: folder, installed: listed };
}

const all = packagesWith({
  typescript: { lodash: '4.17.21', '@scope/tool': '1.0.0', unused: '1.0.0' },
  python: { pyyaml: '6.0.2', pandas: '3.0.2' },
});

async function recordOf(packages: typeof all, files: Readonly<Record<string, string>>) {
  const saved = await packageRecorder(packages)(Object.entries(files).map(([path, text]) => skillFile(path, text)));
  const text = saved.find(({ path }) => path === 'toolwright.lock')?.text;
  return text === undefined ? undefined : JSON.parse(text);
}

describe('the packages of a saved skill', () => {
  it('are those that its code imports, in both languages, also by another name', async () => {
    const files = {
      'index.ts': `import { chunk } from 'lodash';\nimport x from "@scope/tool/part.js";\nimport './own.js';\n// unused`,
      '__init__.py': 'import json, yaml\ndef main():\n    import pandas.api as p\n    return p\n',
    };
    expect(await recordOf(all, files)).toEqual({
      typescript: { '@scope/tool': '1.0.0', lodash: '4.17.21' },
      python: { pandas: '3.0.2', pyyaml: '6.0.2' },
    });
  });

  it('are none for code without packages, and an old record goes', async () => {
    const record = JSON.stringify({ typescript: { lodash: '4.0.0' } });
    expect(await recordOf(all, { 'index.ts': 'export default () => 1', 'toolwright.lock': record })).toBeUndefined();
  });

  it('stay as they were where they are not installed, and follow where they are', async () => {
    const files = {
      'index.ts': `import 'lodash'; import 'gone'`,
      'toolwright.lock': JSON.stringify({ typescript: { lodash: '4.0.0', gone: '1.2.3' } }),
    };
    expect(await recordOf(all, files)).toEqual({ typescript: { gone: '1.2.3', lodash: '4.17.21' } });
  });
});

describe('a program that loads a skill', () => {
  it.each([
    [{ lodash: '4.17.21' }, []],
    [{ lodash: '4.0.0' }, ['The skill "add-up" was saved with other packages: lodash 4.0.0, now 4.17.21.']],
    [{ gone: '1.0.0' }, ['The skill "add-up" was saved with other packages: gone 1.0.0, now not installed.']],
  ])('with the packages %j is warned once: %j', async (typescript, expected) => {
    const warnings: string[] = [];
    const check = skillPackageCheck({
      packages: all,
      language: 'typescript',
      read: async (path) => {
        if (path === '/skills/add-up/toolwright.lock') return Buffer.from(JSON.stringify({ typescript }));
        throw new Error('no such file');
      },
      warn: (text) => void warnings.push(text),
    });
    for (const path of [
      '/workspace/a.js',
      '/skills/add-up/index.js',
      '/skills/add_up/part.js',
      '/skills/other/index.js',
    ])
      await check(path);
    expect(warnings).toEqual(expected);
  });
});
