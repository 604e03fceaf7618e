import { isUtf8 } from 'node:buffer';

/** A format of images or recordings that models read, or of another file. */
export interface MediaFormat {
  readonly type: 'image' | 'audio' | 'file';
  readonly mimeType: string;
  /** The ending of a file name, without its point. */
  readonly extension: string;
}

interface KnownFormat extends MediaFormat {
  /** Texts in Latin-1 at offsets of the file: all of one list must be there. */
  readonly marks: readonly (readonly [offset: number, text: string])[];
}

/** The media types of the files that people often pass on, by the endings of their names. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  '7z': 'application/x-7z-compressed',
  arrow: 'application/vnd.apache.arrow.file',
  avif: 'image/avif',
  bmp: 'image/bmp',
  bz2: 'application/x-bzip2',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eml: 'message/rfc822',
  epub: 'application/epub+zip',
  geojson: 'application/geo+json',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  ipynb: 'application/x-ipynb+json',
  jpeg: 'image/jpeg',
  json: 'application/json',
  jsonl: 'application/jsonl',
  markdown: 'text/markdown',
  md: 'text/markdown',
  mp4: 'video/mp4',
  ndjson: 'application/x-ndjson',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  py: 'text/x-python',
  rtf: 'application/rtf',
  sql: 'application/sql',
  sqlite: 'application/vnd.sqlite3',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tgz: 'application/gzip',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  toml: 'application/toml',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  vcf: 'text/vcard',
  xls: 'application/vnd.ms-excel',
  xlsm: 'application/vnd.ms-excel.sheet.macroenabled.12',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
};

/** The ending of a file name. */
const ENDING = /\.([A-Za-z0-9]{1,8})$/;
const UNKNOWN_TYPE = 'application/octet-stream';

/** The format of drawings, which people see as they are and models as a PNG. */
export const SVG_FORMAT: MediaFormat = { type: 'image', mimeType: 'image/svg+xml', extension: 'svg' };

const FORMATS: readonly KnownFormat[] = [
  { type: 'image', mimeType: 'image/png', extension: 'png', marks: [[0, '\x89PNG\r\n\x1a\n']] },
  { type: 'image', mimeType: 'image/jpeg', extension: 'jpg', marks: [[0, '\xff\xd8\xff']] },
  { type: 'image', mimeType: 'image/gif', extension: 'gif', marks: [[0, 'GIF87a']] },
  { type: 'image', mimeType: 'image/gif', extension: 'gif', marks: [[0, 'GIF89a']] },
  { type: 'image', mimeType: 'image/webp', extension: 'webp', marks: riff('WEBP') },
  { type: 'audio', mimeType: 'audio/wav', extension: 'wav', marks: riff('WAVE') },
  { type: 'audio', mimeType: 'audio/mpeg', extension: 'mp3', marks: [[0, 'ID3']] },
  { type: 'audio', mimeType: 'audio/mpeg', extension: 'mp3', marks: [[0, '\xff\xfb']] },
  { type: 'audio', mimeType: 'audio/mpeg', extension: 'mp3', marks: [[0, '\xff\xf3']] },
  { type: 'audio', mimeType: 'audio/ogg', extension: 'ogg', marks: [[0, 'OggS']] },
  { type: 'audio', mimeType: 'audio/flac', extension: 'flac', marks: [[0, 'fLaC']] },
  { type: 'audio', mimeType: 'audio/mp4', extension: 'm4a', marks: [[4, 'ftypM4A']] },
];

/** The names of the formats, for errors. */
export const FORMAT_NAMES = [...new Set(FORMATS.map(({ extension }) => extension))].join(', ');

/** Returns the format of a file by its first bytes; undefined for any other. The type that a server claims may be wrong. */
export function formatOf(bytes: Buffer): MediaFormat | undefined {
  const found = FORMATS.find(({ marks }) =>
    marks.every(([offset, text]) => bytes.toString('latin1', offset, offset + text.length) === text),
  );
  if (!found) return undefined;
  const { type, mimeType, extension } = found;
  return { type, mimeType, extension };
}

/** Returns the format of a file that is no image and no recording. Its name and its type are claims of the program. */
export function fileFormat(bytes: Buffer, path: string): MediaFormat {
  const [, extension = 'bin'] = ENDING.exec(path) ?? [];
  return { type: 'file', mimeType: fileType(bytes, path), extension };
}

/** Returns the media type of a file: that of an image or a recording by its content, any other by its name. */
export function fileType(bytes: Buffer, path: string): string {
  const found = formatOf(bytes);
  if (found) return found.mimeType;
  const ending = ENDING.exec(path)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(FILE_TYPES, ending)) return FILE_TYPES[ending] ?? UNKNOWN_TYPE;
  return isUtf8(bytes) ? 'text/plain' : UNKNOWN_TYPE;
}

function riff(kind: string): KnownFormat['marks'] {
  return [
    [0, 'RIFF'],
    [8, kind],
  ];
}
