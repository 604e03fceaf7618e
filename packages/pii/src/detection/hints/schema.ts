import { PII_TYPES, type SchemaHint } from '../detector.ts';
import { type KeyHint, keyHint } from './keys.ts';

/** Types by format of JSON Schema. Formats of times and identifiers exclude personal data. */
const FORMATS: Readonly<Record<string, KeyHint>> = {
  email: 'EMAIL',
  'idn-email': 'EMAIL',
  phone: 'PHONE',
  tel: 'PHONE',
  ipv4: 'IP',
  ipv6: 'IP',
  ip: 'IP',
  password: 'SECRET',
  'credit-card': 'CREDIT_CARD',
  iban: 'IBAN',
  ssn: 'SSN',
  mac: 'MAC',
  'date-time': 'OTHER',
  uuid: 'OTHER',
};
const TYPES = new Set<string>(PII_TYPES);
/** Types by words of a description. */
const DESCRIPTIONS: readonly (readonly [RegExp, KeyHint])[] = [
  [/\b(?:e-?mail address|email of)\b/i, 'EMAIL'],
  [/\b(?:(?:tele)?phone|mobile|cell|fax) (?:number|no\b)/i, 'PHONE'],
  [/\bsocial security number\b/i, 'SSN'],
  [/\b(?:credit|debit|payment) ?card number\b/i, 'CREDIT_CARD'],
  [/\bIBAN\b/, 'IBAN'],
  [/\bIP address\b/i, 'IP'],
  [/\b(?:date of birth|birth ?date|birthday)\b/i, 'DATE_OF_BIRTH'],
  [/\bpassport (?:number|no\b)/i, 'PASSPORT'],
  [/\b(?:national (?:id|insurance)|identity card) (?:number|no\b)/i, 'NATIONAL_ID'],
  [/\b(?:api key|access token|password|client secret)\b/i, 'SECRET'],
  [
    /^(?![\s\S]*\b(?:repositor|project|product|compan|organi[sz]ation|file|branch|resource|package)).*?\b(?:full|first|last|given|family|legal|person'?s?) name\b/is,
    'NAME',
  ],
  [/\b(?:street|postal|mailing|home|billing|shipping) address\b/i, 'ADDRESS'],
];
const MAX_DESCRIPTION_CHARS = 300;

/** Returns the type that a schema indicates for its value: by `x-pii`, then format, title and description. */
export function schemaHint(schema: SchemaHint | undefined): KeyHint | undefined {
  if (schema === undefined) return undefined;
  const { format, title, description } = schema;
  const own = schema['x-pii'];
  if (own === false) return 'OTHER';
  if (typeof own === 'string' && TYPES.has(own.toUpperCase())) return own.toUpperCase() as KeyHint;
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return FORMATS[format];
  const titled = typeof title === 'string' ? keyHint(title) : undefined;
  if (titled !== undefined && TYPES.has(titled)) return titled;
  if (typeof description !== 'string') return undefined;
  const text = description.slice(0, MAX_DESCRIPTION_CHARS);
  return DESCRIPTIONS.find(([words]) => words.test(text))?.[1];
}
