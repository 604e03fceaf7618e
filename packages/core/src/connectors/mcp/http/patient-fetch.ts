import { outgoingFetch } from '../../../network/outgoing-fetch.ts';

type Dispatcher = NonNullable<RequestInit['dispatcher']>;

/** Where Node keeps the dispatcher of its `fetch`. */
const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

let patient: Dispatcher | undefined;

/**
 * Sends a request like {@link outgoingFetch}, without the limit of Node for a silent server, which is 300 s: calls have limits of their own. A
 * dispatcher that the process has set, for example for a proxy, stays.
 */
export function patientFetch(request: Request): Promise<Response> {
  const current: unknown = Reflect.get(globalThis, GLOBAL_DISPATCHER);
  const Agent = Object(current).constructor;
  if (Agent?.name !== 'Agent') return outgoingFetch(request);
  patient ??= new Agent({ headersTimeout: 0, bodyTimeout: 0 }) as Dispatcher;
  return outgoingFetch(request, { dispatcher: patient });
}
