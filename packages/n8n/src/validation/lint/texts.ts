import { isObject } from '../../json.ts';

/** Calls `see` with each text in a value, its path, and the key of the parameter that holds it. */
export function visitTexts(
  value: unknown,
  path: string,
  see: (text: string, path: string, key: string) => void,
  key = '',
): void {
  if (typeof value === 'string') see(value, path, key);
  else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) visitTexts(element, `${path}[${index}]`, see, key);
  } else if (isObject(value)) {
    for (const [name, held] of Object.entries(value)) visitTexts(held, `${path}.${name}`, see, name);
  }
}
