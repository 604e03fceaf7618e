// For the other @toolwright packages. It may change in any version: programs import from the package itself.

export { countTaskOwners, exportTasks, importTasks } from './agent/storages/copy.ts';
export { createBrowserLogin } from './auth/browser-login.ts';
export { browserSessions } from './auth/browser-sessions.ts';
export { jwtVerifier } from './auth/jwt.ts';
export { type OpenIdProvider, openIdProvider } from './auth/openid-provider.ts';
export { protectedResource } from './auth/protected-resource.ts';
export { authentication } from './auth.ts';
export { type Cluster, openCluster } from './cluster/open-cluster.ts';
export { startTaskReconciler } from './cluster/worker/task-work.ts';
export type { ClientServers, ConfigEntry, ConfigurationFile } from './http/admin/configuration-ports.ts';
export type { ClusterState } from './http/admin/health.ts';
export { listenAsWorker } from './http/admin/worker-listener.ts';
export { type ListenOptions, listen } from './listen.ts';
export { clientState } from './mcp/clients/client-state.ts';
export { fileIndexCache } from './mcp/instructions/cache.ts';
export type { ToolProfile } from './mcp/tools/definitions.ts';
export { type McpOptions, mcpServers } from './mcp.ts';
export { createMetrics, type Metrics } from './metrics/metrics.ts';
export { keyVariableOf } from './models/choose.ts';
export { startNotifications } from './notifications/notifications.ts';
export type { Principal } from './principal.ts';
export { createAdmission, withAdmission } from './rate-limit/admission.ts';
export { type RateLimiter, rateLimiter } from './rate-limit.ts';
