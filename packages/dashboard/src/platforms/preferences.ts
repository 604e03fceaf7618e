import { useSyncExternalStore } from 'react';
import { platform } from './current.ts';

/** The choices of a person in this browser. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  /** Whether single keys do something, such as j, k, a and d. */
  readonly shortcuts: boolean;
  /** Whether the browser notifies of new approvals. */
  readonly notifications: boolean;
}

const KEY = 'toolwright';
const DEFAULTS: Preferences = { theme: 'system', shortcuts: true, notifications: false };
const listeners = new Set<() => void>();
let current = read();

function read(): Preferences {
  try {
    return { ...DEFAULTS, ...(JSON.parse(platform.read(KEY) ?? '{}') as Partial<Preferences>) };
  } catch {
    return DEFAULTS;
  }
}

/** Returns the preferences. */
export function preferences(): Preferences {
  return current;
}

/** Changes preferences and keeps them in this browser. */
export function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    platform.write(KEY, JSON.stringify(current));
  } catch {
    // The browser keeps nothing for this page: the preference counts until it is closed.
  }
  showTheme();
  for (const listener of listeners) listener();
}

/** Returns the preferences, and renders again when they change. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

/** Sets the colours of the page. */
export function showTheme(): void {
  const { theme } = current;
  document.documentElement.dataset.theme = theme === 'system' ? (platform.isDark() ? 'dark' : 'light') : theme;
}

platform.onColours(showTheme);
