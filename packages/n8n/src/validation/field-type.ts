import type { ObjectSyntax } from './syntax.ts';

/** A declared type. */
export interface Declared {
  readonly type: string;
  /** The values that the type `options` allows. */
  readonly choices: readonly unknown[];
  readonly syntax: ObjectSyntax;
}

/** Returns the mismatch of a value and its declared type; undefined when it fits or when only the execution can decide. */
export function typeProblem(value: unknown, { type, choices, syntax }: Declared): string | undefined {
  if (value === null || value === undefined || String(value).startsWith('=')) return undefined;
  const check = CHECKS[type.toLowerCase()];
  if (type.toLowerCase() === 'options') {
    return choices.includes(value) ? undefined : `is not one of ${choices.map(String).slice(0, 8).join(', ')}`;
  }
  return check === undefined || check.fits(value, syntax) ? undefined : `is not ${check.what}`;
}

interface Check {
  readonly what: string;
  fits(value: unknown, syntax: ObjectSyntax): boolean;
}

const CHECKS: Readonly<Record<string, Check>> = {
  'string-alphanumeric': {
    what: 'a name of letters, digits and underscores that does not start with a digit',
    fits: (value) => /^[A-Za-z_]\w*$/.test(typeof value === 'object' ? JSON.stringify(value) : String(value)),
  },
  number: { what: 'a number', fits: (value) => !Number.isNaN(Number(value)) },
  boolean: { what: 'true or false', fits: isBoolean },
  datetime: { what: 'a date', fits: isDate },
  time: {
    what: 'a time (hh:mm:ss)',
    fits: (value) => /^\d{2}:\d{2}(:\d{2})?([-+]\d{4})?([-+]\d{1,2}(:\d{2})?)?$/.test(String(value)),
  },
  array: { what: 'a list', fits: (value) => Array.isArray(parsed(value)) },
  object: { what: 'an object', fits: isObjectLike },
  url: { what: 'a URL', fits: isUrl },
  jwt: { what: 'a JWT', fits: (value) => /^[\w-]+\.[\w-]+\.[\w.+/=-]*$/.test(String(value)) },
  'form-fields': { what: 'a list of form fields as JSON', fits: (value) => Array.isArray(parsed(value)) },
};

function isBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return true;
  if (typeof value === 'string' && value.trim() === '') return false;
  return /^(true|false)$/i.test(String(value)) || Number(value) === 0 || Number(value) === 1;
}

function isDate(value: unknown): boolean {
  const text = String(value).trim();
  // Date.parse rejects the week and ordinal dates of ISO 8601.
  return !Number.isNaN(Date.parse(text)) || /^\d{4}-?(W\d{2}(-?\d)?|\d{3})/.test(text) || /^T?\d{2}:\d{2}/.test(text);
}

function isObjectLike(value: unknown, { isObjectLiteral }: Declared['syntax']): boolean {
  if (typeof value === 'object') return value !== null && !Array.isArray(value);
  try {
    const object: unknown = JSON.parse(String(value));
    return typeof object === 'object' && !Array.isArray(object);
  } catch {
    return isObjectLiteral(String(value));
  }
}

function isUrl(value: unknown): boolean {
  const text = typeof value === 'string' && !value.includes('://') ? `https://${value}` : String(value);
  return URL.canParse(text) && /^(https?|ftp|file):$/.test(new URL(text).protocol);
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  for (const text of [value, value.replaceAll("'", '"')]) {
    try {
      return JSON.parse(text);
    } catch {
      // The next format is tried.
    }
  }
  return undefined;
}
