import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from '../../api/openapi.d.ts';
import { BASE_PATH } from './base.ts';
import { Problem } from './problem.ts';

type Schemas = components['schemas'];
export type Execution = Schemas['Execution'];
export type ExecutionCall = Schemas['ExecutionCall'];
export type Question = Schemas['Question'];
export type Decision = Schemas['Decision'];
export type Server = Schemas['Server'];
export type Tool = Schemas['Tool'];
export type Session = Schemas['Session'];
export type SkillSummary = Schemas['SkillSummary'];
export type DashboardSession = Schemas['DashboardSession'];
export type Status = Execution['status'];

const MARK = 'x-toolwright-dashboard';
/** A page of another origin cannot send this header without the permission of the server. */
const marks: Middleware = {
  onRequest({ request }) {
    request.headers.set(MARK, '1');
    return request;
  },
  async onResponse({ response }) {
    if (!response.ok) throw await Problem.of(response);
  },
};

/** The client of the HTTP API, with the types of its OpenAPI document. It raises {@link Problem}. */
export const api = createClient<paths>({ baseUrl: BASE_PATH.replace(/\/$/, '') });
api.use(marks);

/** Returns the data of an answer of {@link api}. */
export async function dataOf<T>(answer: Promise<{ readonly data?: T }>): Promise<T> {
  const { data } = await answer;
  return data as T;
}

/** Fetches a path of the server that is not JSON, or has no types. Raises {@link Problem}. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { [MARK]: '1', ...init.headers };
  const response = await fetch(`${BASE_PATH}${path}`, { ...init, headers });
  if (!response.ok) throw await Problem.of(response);
  return response;
}
