// For the other @toolwright packages. It may change in any version: programs import from the package itself.
export { createAdmission, withAdmission } from './admission.ts';
export { type BrowserLogin, createBrowserLogin } from './auth/browser-login.ts';
export { browserSessions } from './auth/browser-sessions.ts';
export { jwtVerifier } from './auth/jwt.ts';
export { protectedResource } from './auth/protected-resource.ts';
export { authentication } from './auth.ts';
export type { ClientServers, ConfigEntry, ConfigurationFile } from './http/configuration-ports.ts';
export { type ListenOptions, listen } from './listen.ts';
export { clientState } from './mcp/client-state.ts';
export type { ProfileName } from './mcp/definitions.ts';
export { indexCache } from './mcp/instructions/cache.ts';
export { type McpOptions, mcpServers } from './mcp.ts';
export { createMetrics } from './metrics.ts';
export { keyVariableOf } from './models/choose.ts';
export { startNotifications } from './notifications.ts';
export type { Principal } from './principal.ts';
export { type RateLimiter, rateLimiter } from './rate-limit.ts';
