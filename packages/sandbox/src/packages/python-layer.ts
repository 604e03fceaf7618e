import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PYTHON_PACKAGES } from '../sandboxes/jail/guest.ts';
import { jailSandbox, probeJail } from '../sandboxes/jail.ts';
import type { LockedLanguage } from './lock.ts';
import { loadWheels, unpackWheels } from './pip.ts';
import { runPackage } from './run-package.ts';
import { invalidPackages, type PackageSources, runTool } from './run-tool.ts';

/** Modules of tests are rarely imported, and take half of the time. */
const NOT_COMPILED = '[/]tests?[/]';
/** The folder with the list of fonts. `guest/python/packages.py` has it too. */
const FONTS = 'toolwright-matplotlib';
const FONT_LIST = `
import json
from matplotlib import font_manager
font_manager.json_dump(font_manager.fontManager, "/tmp/fonts.json")
result = [str(font_manager.FontManager.__version__), open("/tmp/fonts.json").read()]`;
/** The version of Python that the files are for. `guest/python/packages.py` has it too. */
const PYTHON_VERSION = 'toolwright-python';
/** The files of packages without compiled code, for Pyodide. `guest/pyodide/packages.js` has it too. */
const PURE_FILES = 'toolwright-pure.json';
const MIB = 1024 * 1024;

/** Writes the packages of a lock into a folder, compiled, with the list of fonts that plots need. Code of packages runs in a jail only. */
export async function buildPythonLayer(
  language: LockedLanguage,
  { content, folder, sources }: { readonly content: string; readonly folder: string; readonly sources: PackageSources },
): Promise<void> {
  const wheels = await loadWheels(language, { folder, sources });
  const { executable, version } = await unpackWheels(wheels, content, folder);
  // Commands for a shell, which no program has.
  await rm(join(content, 'bin'), { recursive: true, force: true });
  const places = ['-s', content, '-p', PYTHON_PACKAGES, '--invalidation-mode', 'unchecked-hash', '-x', NOT_COMPILED];
  // A file for another version of Python is no error: programs cannot import it anyway.
  await runTool(executable, ['-I', '-m', 'compileall', '-q', '-j', '0', ...places, content], { cwd: folder }).catch(
    (error: { code?: unknown }) => {
      if (typeof error.code !== 'number') throw error;
    },
  );
  await writeFile(join(content, PYTHON_VERSION), version.slice(0, 2).join('.'));
  await writeFile(join(content, PURE_FILES), JSON.stringify(await pureFiles(content)));
  if (existsSync(join(content, 'matplotlib'))) await addFontList(content);
}

/** Returns the files of all packages whose wheels run on any platform, by the records of the wheels. */
async function pureFiles(content: string): Promise<readonly string[]> {
  const infos = (await readdir(content)).filter((name) => name.endsWith('.dist-info'));
  const found = infos.map(async (info) => {
    const tags = [...(await readFile(join(content, info, 'WHEEL'), 'utf8')).matchAll(/^Tag: (.*?)\r?$/gm)];
    if (tags.length === 0 || !tags.every(([, tag]) => tag?.endsWith('-none-any'))) return [];
    const lines = (await readFile(join(content, info, 'RECORD'), 'utf8')).split(/\r?\n/);
    // A name with a comma has quotes.
    const names = lines
      .map((line) => /^"((?:[^"]|"")*)"|^[^,]*/.exec(line))
      .map((match) => match?.[1] ?? match?.[0] ?? '');
    return names.filter((name) => name !== '' && !/^\.\.|\.pyc$/.test(name) && existsSync(join(content, name)));
  });
  return (await Promise.all(found)).flat().sort();
}

async function addFontList(content: string): Promise<void> {
  // The user of the jail is another one.
  await runTool('chmod', ['-R', 'a+rX', content], { cwd: content });
  if (!(await probeJail('python')).available) return;
  await using sandbox = await jailSandbox({ packages: content, maxProcesses: 1, warmMemoryBytes: 512 * MIB });
  const found = await runPackage(sandbox, { guest: 'python', code: FONT_LIST }, { memoryBytes: 512 * MIB });
  if (!Array.isArray(found)) throw invalidPackages(`matplotlib does not work in the jail: ${JSON.stringify(found)}`);
  const [version, list] = found.map(String);
  await mkdir(join(content, FONTS));
  await writeFile(join(content, FONTS, `fontlist-v${version}.json`), list ?? '');
}
