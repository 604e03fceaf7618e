import { queryOptions, useQuery } from '@tanstack/react-query';
import { answered, type DashboardSession, request } from './client.ts';
import { Problem } from './problem.ts';

/** Browsers refuse to finish requests of a closed page with more than 64 KiB, all together. A character has up to 3 bytes. */
const MAX_KEPT_CHARACTERS = 5_000;

/** Only before the session is loaded. */
const UNKNOWN: DashboardSession = {
  user: '',
  roles: [],
  scopes: [],
  allUsers: false,
  by: 'local',
  features: { tasks: false, admin: false, pins: 'off', keys: false },
  version: '',
};

/** The query of the person at this browser. `null`: a login is needed. */
export function sessionQuery() {
  return queryOptions({
    queryKey: ['session'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<DashboardSession | null> => {
      try {
        return (await (await request('dashboard/session', { signal })).json()) as DashboardSession;
      } catch (error) {
        if (error instanceof Problem && error.status === 401) return null;
        throw error;
      }
    },
  });
}

/** Returns the person at this browser. */
export function useSession(): DashboardSession {
  return useQuery(sessionQuery()).data ?? UNKNOWN;
}

/** Returns whether the data of a user belong to the person. On a server without keys, all data do. */
export function useIsOwner(userId: string): boolean {
  const { user, features } = useSession();
  return userId === user || !features.keys;
}

/** Returns whether the person may change and decide. A viewer only looks: the server refuses the rest. */
export function useMayChange(): boolean {
  return useSession().roles.includes('approver');
}

/** The parameters that choose whose data a request is about. */
export type Scope = { readonly userId?: string; readonly all?: 'true' };

/** Returns the scope of lists: one user, or all users where the person may see them. */
export function useScope(userId?: string): Scope {
  const { allUsers } = useSession();
  if (userId !== undefined) return { userId };
  return allUsers ? { all: 'true' } : {};
}

/** Returns the query string of parameters; those without a value are left out. */
export function queryText(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns a text as a part of a path. Its slashes stay: the server refuses encoded ones. */
export function pathText(text: string): string {
  return text.split('/').map(encodeURIComponent).join('/');
}

/** Sends JSON and returns the JSON of the answer. */
export async function send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const text = JSON.stringify(body) ?? '';
  // A change arrives also when the person closes the page at once.
  const keepalive = text.length <= MAX_KEPT_CHARACTERS;
  const json =
    body === undefined ? { keepalive } : { keepalive, body: text, headers: { 'content-type': 'application/json' } };
  const response = await request(path, { method, ...json });
  return (response.status === 204 ? undefined : await answered(response.json())) as T;
}

/** Gets the JSON of a path. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await request(path, { signal });
  return (await answered(response.json())) as T;
}
