import type { components, paths } from '../../api/openapi.d.ts';
import { platform } from '../platforms/current.ts';
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
/** The body of a successful answer of `GET` at a path of the OpenAPI document. */
export type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

/** A page of another origin cannot send this header without the permission of the server. */
const MARK_HEADER = { [MARK]: '1' } as const;

/** Fetches a path of the server that is not JSON, or has no types. Raises {@link Problem}. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...MARK_HEADER, ...init.headers };
  const response = await answered(platform.request(path, { ...init, headers }));
  if (!response.ok) throw await Problem.of(response);
  return response;
}

/** Returns an answer or its body. Raises {@link Problem} when the connection is lost before. */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw Problem.ofRequest(error);
  }
}
