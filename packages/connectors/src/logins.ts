// The logins of OAuth. Import it when somebody logs in: it loads the client of MCP.
export {
  findLogin,
  finishLogin,
  loginState,
  logOut,
  type OpenLogin,
  type StartedLogin,
  startLogin,
  unknownLogin,
} from './mcp/oauth/logins.ts';
export { type OAuthConnectorOptions, oauthConnector } from './mcp/oauth.ts';
