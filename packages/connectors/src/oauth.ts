// The state of OAuth logins to servers. It loads no client of MCP: the flows are in `logins`.
export { LOGIN_LIFETIME_MS, mayUseOAuth, type OAuthContext, serverKey } from './mcp/oauth/context.ts';
export type { CredentialPlace, Credentials } from './mcp/oauth/credentials.ts';
export { type LoopbackCallback, listenForCallback, type OnCallback } from './mcp/oauth/loopback.ts';
