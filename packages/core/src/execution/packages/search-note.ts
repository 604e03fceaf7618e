import type { InstalledPackages } from './packages.ts';

/** Words for which people search the packages of the presets. A package is also found by its name. */
const TOPICS: Readonly<Record<string, string>> = {
  pandas: 'table dataframe csv excel spreadsheet analysis statistics data pivot',
  numpy: 'array matrix numeric statistics data',
  matplotlib: 'chart plot graph diagram figure visualization',
  seaborn: 'chart plot graph statistics visualization',
  openpyxl: 'excel xlsx spreadsheet workbook office',
  xlsxwriter: 'excel xlsx spreadsheet workbook office',
  scipy: 'statistics regression optimization test numeric',
  'python-docx': 'word docx document office',
  docx: 'word docx document office',
  pypdf: 'pdf document',
  reportlab: 'pdf document report',
  'pdf-lib': 'pdf document',
  pillow: 'image picture photo png jpeg resize',
  beautifulsoup4: 'html web parse scrape',
  cheerio: 'html web parse scrape',
  lxml: 'xml html parse',
  'fast-xml-parser': 'xml parse',
  jinja2: 'template html text',
  pyyaml: 'yaml',
  yaml: 'yaml',
  markdown: 'markdown html',
  marked: 'markdown html',
  lodash: 'collection group sort list utility',
  'date-fns': 'date time calendar duration',
  luxon: 'date time calendar duration zone',
  papaparse: 'csv table parse',
  'simple-statistics': 'statistics regression mean',
  jszip: 'zip archive compress',
};
const MAX_PACKAGES = 6;
const LANGUAGES = [
  ['python', 'Python'],
  ['typescript', 'TypeScript'],
] as const;

/** Returns the line about installed packages that match queries; undefined if none does. */
export function packagesNote(queries: readonly string[], packages: InstalledPackages): string | undefined {
  const words = queries.flatMap((query) => query.toLowerCase().match(/[a-z0-9]{3,}/g) ?? []);
  const isWanted = (name: string) => {
    const topics = new Set([...(TOPICS[name]?.split(' ') ?? []), ...name.toLowerCase().split(/[^a-z0-9]+/), name]);
    return words.some((word) => topics.has(word) || topics.has(word.replace(/s$/, '')));
  };
  const found = LANGUAGES.flatMap(([language, title]) => {
    const names = packages.installed(language).map(({ name }) => name);
    return names.filter(isWanted).map((name) => `${name} (${title})`);
  });
  return found.length === 0 ? undefined : `Packages to import: ${found.slice(0, MAX_PACKAGES).join(', ')}`;
}
