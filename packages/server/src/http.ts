import { OpenAPIHono } from '@hono/zod-openapi';
import { localhostAllowedHostnames, type ServerNotifier } from '@modelcontextprotocol/server';
import { inProfile, type Logger, type Store, type Toolwright, ToolwrightError } from '@toolwright/core';
import type { CorsSettings } from '@toolwright/core/internal';
import { memoryStore } from '@toolwright/pii';
import type { MiddlewareHandler } from 'hono';
import type { Tasks } from './agent/task.ts';
import { type BrowserLogin, createBrowserLogin } from './auth/browser-login.ts';
import { addProviderLogin } from './auth/dashboard-login.ts';
import { addDashboardLogin, addDashboardSession } from './auth/dashboard-session.ts';
import { addMetadataRoutes, type ProtectedResource } from './auth/protected-resource.ts';
import { addressOf } from './auth.ts';
import { requestProblems } from './code-tools/clear-values.ts';
import { addDashboard } from './dashboard/routes.ts';
import { addAdminRoutes } from './http/admin/admin.ts';
import type { ClientServers, ConfigurationFile } from './http/admin/configuration-ports.ts';
import { addDocumentation } from './http/admin/documentation.ts';
import { addHealthRoutes, type ClusterState } from './http/admin/health.ts';
import type { HttpApi, HttpEnv, RouteOptions } from './http/api.ts';
import { addApprovalRoutes } from './http/approvals/approvals.ts';
import { addDecidedQuestions } from './http/approvals/decided-questions.ts';
import { addDecisionRoutes } from './http/approvals/decisions.ts';
import { addDryRunRoute } from './http/approvals/dry-runs.ts';
import { addExecutionEvents, type ExecutionEventOptions } from './http/events/execution-events.ts';
import { addExecutionFeed } from './http/events/execution-feed.ts';
import { addExecuteRoute } from './http/executions/execute.ts';
import { addExecutionHistory } from './http/executions/execution-history.ts';
import { addExecutionList } from './http/executions/execution-list.ts';
import { addExecutionValues } from './http/executions/execution-values.ts';
import { addExecutionRoutes } from './http/executions/executions.ts';
import { addForkRoute } from './http/executions/fork.ts';
import { addPageRoutes } from './http/pages.ts';
import { allowOrigins } from './http/requests/cors.ts';
import { refuseWhileDraining } from './http/requests/draining.ts';
import { STREAM_LIMITS, type StreamLimits } from './http/requests/event-stream.ts';
import { disconnectedProblem, problemOf, redactedFailure } from './http/requests/failure.ts';
import { createIdempotency } from './http/requests/idempotency/idempotency.ts';
import { MAX_BODY_BYTES } from './http/requests/json-body.ts';
import { noRoute } from './http/requests/methods.ts';
import { HttpProblem, problemResponse } from './http/requests/problem.ts';
import { addSecurityHeaders, checkOrigin, checkPath, limitBody } from './http/requests/request-checks.ts';
import { addRequestId } from './http/requests/request-id.ts';
import { addLoginCallback } from './http/servers/login-callback.ts';
import { addLoginRoutes } from './http/servers/logins.ts';
import { addPinRoutes } from './http/servers/pins.ts';
import { addPolicyTest } from './http/servers/policy.ts';
import { addPolicyRules } from './http/servers/policy-rules.ts';
import { addResourceRoutes } from './http/servers/resources.ts';
import { addServerImport } from './http/servers/server-import.ts';
import { addServerHealth } from './http/servers/servers.ts';
import { addToolCall } from './http/servers/tool-call.ts';
import { addToolRoutes } from './http/servers/tools.ts';
import { addFileRoutes } from './http/sessions/files.ts';
import { addSessionRoutes } from './http/sessions/sessions.ts';
import { addSkillRoutes } from './http/sessions/skills.ts';
import { addTaskRoutes } from './http/tasks/tasks.ts';
import { addUsageRoute } from './http/usage/usage.ts';
import { refuseChanges } from './http/viewers.ts';
import type { McpServers } from './mcp/context/follow.ts';
import { type McpEndpoint, mcpEndpoint } from './mcp/endpoint.ts';
import { addMcp, routesByProfile, tasksInProfile } from './mcp/tools/profile-routes.ts';
import type { Metrics } from './metrics/metrics.ts';
import { httpTracing } from './metrics/tracing.ts';
import { LOCAL_PRINCIPAL, type PrincipalEnv } from './principal.ts';
import { type Admission, createAdmission, withAdmission } from './rate-limit/admission.ts';
import { createStreamPlaces } from './rate-limit/user-caps.ts';
import { type RateLimiter, UNLIMITED } from './rate-limit.ts';
import { refusalOf } from './refusal.ts';
import { VERSION } from './version.ts';

/** The parts of an application that all of its routes share. */
export interface ApiParts {
  readonly toolwright: Toolwright;
  readonly logger: Logger;
  /** The data folder of the Toolwright. Only the log names it. */
  readonly dataDir?: string | undefined;
}

export interface HttpOptions extends ApiParts {
  readonly mcp: McpServers;
  /** Host names that clients may use, in addition to loopback names. Other names are refused, against DNS rebinding. */
  readonly hostnames?: readonly string[];
  /** Origins of pages that may call the server. Default: only pages of the server's own host names. */
  readonly cors?: CorsSettings;
  /** The login of browsers. Default: only links start sessions, which are kept in `store`. */
  readonly browserLogin?: BrowserLogin | undefined;
  /** Without it, `/task` and `/tasks` answer 501. */
  readonly tasks?: Tasks | undefined;
  /** Limits the work of the server. Default: a new admission control. */
  readonly admission?: Admission;
  /** Limits of event streams that override {@link STREAM_LIMITS}. */
  readonly streams?: Partial<StreamLimits>;
  /** Sets `principal`. Default: every client is {@link LOCAL_PRINCIPAL}. */
  readonly authenticate?: MiddlewareHandler<PrincipalEnv> | undefined;
  /** Metadata of the token issuer, which the server publishes without authentication. Default: none. */
  readonly protectedResource?: ProtectedResource | undefined;
  /** Quotas of users and keys. Default: no quotas. */
  readonly limiter?: RateLimiter | undefined;
  /** Keeps idempotency keys, so that they survive this process. Default: in memory. */
  readonly store?: Store | undefined;
  /** The configuration file, for `persist` of `/admin/servers`. */
  readonly configuration?: ConfigurationFile | undefined;
  /** The servers of other clients on this machine, for `/admin/import`. */
  readonly clientServers?: ClientServers | undefined;
  /** Whether the server has the dashboard at `/`. Default: true. */
  readonly dashboard?: boolean | undefined;
  /** The address at which browsers reach the server, if it is another one. */
  readonly publicUrl?: string | undefined;
  /** The place of the process in its cluster, for `/ready` and `/usage`. Default: it is in none. */
  readonly cluster?: ClusterState | undefined;
  /** Metrics for `/metrics`. Without it, that path answers 404. */
  readonly metrics?: Metrics | undefined;
}

/** Answers requests until it is closed. */
export interface WebApplication {
  readonly fetch: (request: Request, env?: HttpEnv['Bindings']) => Response | Promise<Response>;
  /** Cancels running MCP requests. */
  close(): Promise<void>;
}

/** A web application that is not listening yet. */
export interface HttpApplication extends WebApplication {
  /** Notifies subscribed MCP clients of changes. */
  readonly notify: ServerNotifier;
}

/** Creates the web application: the API of tasks and programs, its documentation, and MCP at `/mcp`. */
export function httpApplication(options: HttpOptions): HttpApplication {
  const { logger, dataDir, hostnames = [], admission = createAdmission() } = options;
  const endpoint = mcpEndpoint(options.mcp, logger, options.store);
  const api = emptyApi(options);

  const { limiter = UNLIMITED, metrics } = options;
  const routeOptions = { toolwright: withAdmission(options.toolwright, admission), admission, limiter, logger };
  // The middlewares of every request, in the order of execution.
  api.use(addRequestId());
  if (metrics) api.use(metrics.requests);
  api.use(httpTracing());
  api.use(addSecurityHeaders());
  api.use(checkOrigin([...localhostAllowedHostnames(), ...hostnames], options.cors?.origins));
  // Before all routes: the router matches the path without dot segments.
  api.use(checkPath());
  if (options.cors) api.use(allowOrigins(options.cors));
  api.use(limitBody(MAX_BODY_BYTES));
  const store = options.store ?? memoryStore();
  const idempotency = createIdempotency({ store, dataDir: options.store && dataDir, logger });
  // Health probes and the metadata of the token issuer need no credential.
  addHealthRoutes(api, { ...routeOptions, cluster: options.cluster, idempotency });
  if (options.protectedResource) addPublicMetadata(api, options.protectedResource, limiter);
  addLoginCallback(api, routeOptions);
  if (options.dashboard ?? true) addDashboard(api, options);
  const login = options.browserLogin ?? createBrowserLogin({ store, logger });
  const dashboard = { toolwright: options.toolwright, login, limiter, hasTasks: options.tasks !== undefined };
  addDashboardLogin(api, dashboard);
  addProviderLogin(api, dashboard);
  const authenticate = (options.authenticate as MiddlewareHandler<HttpEnv> | undefined) ?? authenticateAsLocal;
  api.use(login.authenticate(authenticate));
  api.use(limiter.requests);
  api.use(refuseChanges());
  const ends: (() => void)[] = [];
  const streaming = { streams: { ...STREAM_LIMITS, ...options.streams }, places: createStreamPlaces() };
  const shared = { ...streaming, endpoint, idempotency, dashboard };
  const { tasks, cluster } = options;
  const parts = { ...options, ...routeOptions, ...shared, tasks, cluster };
  api.use(
    routesByProfile(
      (profile) => emptyApi({ ...options, toolwright: inProfile(options.toolwright, profile) }),
      (own, profile) => {
        own.use(refuseWhileDraining(admission));
        const toolwright = inProfile(routeOptions.toolwright, profile);
        const tasks = options.tasks && tasksInProfile(options.tasks, profile);
        ends.push(addRoutes(own, { ...parts, toolwright, tasks, dashboard: { ...dashboard, toolwright } }));
      },
    ),
  );
  if (metrics) api.get('/metrics', metrics.handler);
  api.use(refuseWhileDraining(admission));
  ends.push(addRoutes(api, parts));
  return {
    fetch: api.fetch,
    notify: endpoint.notify,
    async close() {
      for (const end of ends) end();
      await idempotency.close();
      await endpoint.close();
    },
  };
}

interface Routes extends ExecutionEventOptions {
  readonly idempotency: ReturnType<typeof createIdempotency>;
  readonly dashboard: Parameters<typeof addDashboardSession>[1];
  readonly endpoint: McpEndpoint;
  readonly tasks: Tasks | undefined;
  readonly cluster: ClusterState | undefined;
  readonly configuration?: ConfigurationFile | undefined;
  readonly clientServers?: ClientServers | undefined;
}

/** Adds the routes of authenticated clients. Returns the function that ends the counting of calls. */
function addRoutes(api: HttpApi, options: Routes): () => void {
  addDashboardSession(api, options.dashboard);
  addTaskRoutes(api, options);
  addExecuteRoute(api, options);
  addAllExecutionRoutes(api, options);
  addForkRoute(api, options);
  addUsageRoute(api, options);
  addSessionRoutes(api, options);
  addFileRoutes(api, options);
  addSkillRoutes(api, options);
  const endServerHealth = addAllToolRoutes(api, options);
  addResourceRoutes(api, options);
  addLoginRoutes(api, options);
  addAdminRoutes(api, options);
  addServerImport(api, options);
  addMcp(api, options);
  api.all('/internal/mcp-call', refuseGuestCall);
  addDocumentation(api, VERSION);
  return endServerHealth;
}

/** Creates an application whose requests are checked by the schemas of their routes, and whose errors are problems. */
export function emptyApi({ toolwright, logger, dataDir }: ApiParts): HttpApi {
  const api = new OpenAPIHono<HttpEnv>({
    defaultHook(result) {
      if (result.success) return;
      const problems = requestProblems(result.error, Object(result).data);
      const whole = result.target === 'json' ? 'the body' : `the ${result.target}`;
      const detail = problems.map(({ path, message }) => `${path || whole}: ${message}`).join('; ');
      throw new HttpProblem(result.target === 'json' ? 422 : 400, 'INVALID_REQUEST', detail.slice(0, 2_000), {
        extensions: { errors: problems.slice(0, 50) },
      });
    },
  });
  api.onError(async (thrown, context) => {
    const error = await redactedFailure(thrown, toolwright.pii, context.get('principal')?.user);
    const refused = error instanceof ToolwrightError && error.code === 'QUOTA_EXCEEDED' ? refusalOf(error) : undefined;
    const requestId = context.get('requestId');
    const isDisconnected = context.req.raw.signal.aborted && !(error instanceof HttpProblem);
    const failure = { requestId, logger, dataDir };
    return problemResponse(isDisconnected ? disconnectedProblem() : problemOf(refused ?? error, failure), requestId);
  });
  api.notFound(noRoute(api));
  return api;
}

function addAllExecutionRoutes(api: HttpApi, options: ExecutionEventOptions): void {
  addExecutionList(api, options);
  // Before the routes with an id, of which "events" is none.
  addExecutionFeed(api, options);
  addExecutionRoutes(api, options);
  addExecutionEvents(api, options);
  addDecisionRoutes(api, options);
  addDecidedQuestions(api, options);
  addApprovalRoutes(api, options);
  addDryRunRoute(api, options);
  addExecutionHistory(api, options);
  addExecutionValues(api, options);
  addPageRoutes(api, options);
}

/** Returns the function that ends the counting of calls. */
function addAllToolRoutes(api: HttpApi, options: RouteOptions): () => void {
  addToolRoutes(api, options);
  addToolCall(api, options);
  addPinRoutes(api, options);
  addPolicyRules(api, options);
  addPolicyTest(api, options);
  return addServerHealth(api, options);
}

function addPublicMetadata(api: HttpApi, resource: ProtectedResource, limiter: RateLimiter): void {
  api.use('/.well-known/*', async (context, next) => {
    await limiter.unauthenticated(addressOf(context));
    await next();
  });
  addMetadataRoutes(api, resource);
}

/** Other harnesses have this path for the calls of their sandboxes. */
function refuseGuestCall(): never {
  const detail =
    'There are no calls of sandboxes over HTTP: a program calls tools through the channel that the server opens for its execution. Send the program to POST /execute.';
  throw new HttpProblem(410, 'NOT_SUPPORTED', detail);
}

const authenticateAsLocal: MiddlewareHandler<HttpEnv> = async (context, next) => {
  context.set('principal', LOCAL_PRINCIPAL);
  await next();
};
