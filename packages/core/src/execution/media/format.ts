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

/** The types of other files that people often pass on. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eml: 'message/rfc822',
  gz: 'application/gzip',
  html: 'text/html',
  ics: 'text/calendar',
  ipynb: 'application/x-ipynb+json',
  json: 'application/json',
  jsonl: 'application/jsonl',
  md: 'text/markdown',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  sqlite: 'application/vnd.sqlite3',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'application/yaml',
  zip: 'application/zip',
};

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
  const [, extension = 'bin'] = /\.([A-Za-z0-9]{1,8})$/.exec(path) ?? [];
  const mimeType = typeOfName(path) ?? (isUtf8(bytes) ? 'text/plain' : 'application/octet-stream');
  return { type: 'file', mimeType, extension };
}

/** Returns the media type of a file by its name; undefined for an unknown ending. */
export function typeOfName(path: string): string | undefined {
  const ending = /\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(FILE_TYPES, ending)
    ? FILE_TYPES[ending]
    : FORMATS.find(({ extension }) => extension === ending)?.mimeType;
}

function riff(kind: string): KnownFormat['marks'] {
  return [
    [0, 'RIFF'],
    [8, kind],
  ];
}
