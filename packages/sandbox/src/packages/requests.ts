import { SandboxError } from '../errors.ts';
import type { LanguageName } from '../languages/language.ts';

/** The packages that a configuration requests, by language. */
export type PackageRequests = Readonly<Record<LanguageName, readonly string[]>>;

/** A request such as `pandas==3.0.2` or `lodash@4`. */
export interface PackageRequest {
  /** The name as the registry compares it. */
  readonly name: string;
  /** The version or range as written; empty without one. */
  readonly range: string;
}

/** Sets of packages by name, for work that many programs do. */
export const PRESETS: Readonly<Record<string, PackageRequests>> = {
  data: {
    python: ['pandas', 'numpy', 'matplotlib', 'openpyxl', 'scipy'],
    typescript: ['lodash', 'date-fns', 'papaparse', 'simple-statistics'],
  },
  office: {
    python: ['openpyxl', 'xlsxwriter', 'python-docx', 'pypdf', 'reportlab', 'pillow'],
    typescript: ['jszip', 'docx', 'pdf-lib'],
  },
  web: {
    python: ['beautifulsoup4', 'lxml', 'jinja2', 'pyyaml', 'markdown'],
    typescript: ['cheerio', 'marked', 'yaml', 'fast-xml-parser'],
  },
};

/** No paths, URLs or options: they would build source distributions or change the tools' settings. */
const PYTHON =
  /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(?:\[[\w,.-]+\])?((?:\s*,?\s*(?:===?|~=|!=|>=?|<=?)\s*[\w.*+!-]+)*)$/;
const NPM = /^((?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*)(?:@([\w.^~<>=*| +-]+))?$/i;

/** Reads a request. Raises `CONFIG_INVALID` for anything but a name with versions. */
export function readRequest(language: LanguageName, text: string): PackageRequest {
  const [, name, range = ''] = (language === 'python' ? PYTHON : NPM).exec(text.trim()) ?? [];
  if (name === undefined || name.startsWith('-')) {
    const form =
      language === 'python' ? 'pandas, pandas==3.0.2 or pandas>=3,<4' : 'lodash, lodash@4 or @scope/name@^1.2';
    throw new SandboxError(
      'CONFIG_INVALID',
      `${JSON.stringify(text)} is not the name of a package for ${language}. Write ${form}. Paths, URLs and options are not accepted.`,
    );
  }
  return { name: language === 'python' ? pythonName(name) : name, range: range.trim() };
}

/** Returns a name of Python in the form in which PyPI compares names. */
export function pythonName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/**
 * Returns all requests of a language, those of presets included. A request of its own counts before that of a preset. Raises
 * `CONFIG_INVALID` for an unknown preset, a text that is no request, and a package with two versions.
 */
export function allRequests(language: LanguageName, own: readonly string[], presets: readonly string[]): string[] {
  const found = new Map<string, string>();
  for (const text of own) {
    const { name } = readRequest(language, text);
    const known = found.get(name);
    if (known !== undefined && known !== text) {
      const message = `${name} is requested twice, as ${JSON.stringify(known)} and ${JSON.stringify(text)}. Keep one of them.`;
      throw new SandboxError('CONFIG_INVALID', message);
    }
    found.set(name, text);
  }
  for (const preset of presets) {
    const requests = Object.hasOwn(PRESETS, preset) ? PRESETS[preset] : undefined;
    if (requests === undefined) {
      const known = Object.keys(PRESETS).join(', ');
      throw new SandboxError('CONFIG_INVALID', `There is no preset "${preset}". The presets are: ${known}.`);
    }
    for (const text of requests[language]) {
      const { name } = readRequest(language, text);
      if (!found.has(name)) found.set(name, text);
    }
  }
  return [...found.values()];
}
