import { ToolwrightError } from '@toolwright/core/errors';
import { isRecord } from '../../clients/entry.ts';
import { HIDDEN, SECRET_NAME, secretsOf } from '../servers/preview.ts';

/** The password in the text of a URL, after its user. */
const URL_PASSWORD = /(:\/\/[^/\s:@]*:)[^/\s@]+@/g;

/** Returns an entry for a person: its secrets are hidden. References such as `${env:TOKEN}` are none. */
export function withoutSecrets(entry: unknown): unknown {
  const secrets = secretsOf(entry).sort((a, b) => b.length - a.length);
  const shown = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => shown(item, key));
    if (isRecord(value))
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shown(item, name)]));
    if (typeof value !== 'string' || value.includes('${')) return value;
    if (SECRET_NAME.test(key)) return HIDDEN;
    return secrets.reduce(
      (text, secret) => text.replaceAll(secret, HIDDEN),
      value.replace(URL_PASSWORD, `$1${HIDDEN}@`),
    );
  };
  return shown(entry, '');
}

/**
 * Returns an entry that a person changed, with the secrets of the entry before in place of the hidden ones. Raises
 * `CONFIG_INVALID` for a hidden value without a secret.
 */
export function withSecretsOf(before: unknown, changed: unknown): unknown {
  return restored(changed, before, withoutSecrets(before), []);
}

function restored(changed: unknown, before: unknown, shown: unknown, path: readonly string[]): unknown {
  if (typeof changed === 'string' && changed.includes(HIDDEN)) {
    if (changed === shown) return before;
    const message = `${path.join('.')}: a hidden value can only stay as it was and where it was. Enter the value itself.`;
    throw new ToolwrightError('CONFIG_INVALID', message);
  }
  if (Array.isArray(changed)) {
    const places = placesOf(changed, Array.isArray(shown) ? shown : []);
    return changed.map((item, index) => {
      const place = String(places[index]);
      return restored(item, member(before, place), member(shown, place), [...path, String(index)]);
    });
  }
  if (!isRecord(changed)) return changed;
  const entries = Object.entries(changed).map(([key, value]) => [
    key,
    restored(value, member(before, key), member(shown, key), [...path, key]),
  ]);
  return Object.fromEntries(entries);
}

/** Finds for each item the place of the same item in the array before: the first one that no item before it has. */
function placesOf(items: readonly unknown[], before: readonly unknown[]): number[] {
  const taken = new Set<number>();
  return items.map((item, index) => {
    const same = typeof item === 'string' ? before.findIndex((other, at) => other === item && !taken.has(at)) : index;
    taken.add(same);
    return same;
  });
}

function member(value: unknown, key: string): unknown {
  const holder = Object(value) as Record<string, unknown>;
  return Object.hasOwn(holder, key) ? holder[key] : undefined;
}
