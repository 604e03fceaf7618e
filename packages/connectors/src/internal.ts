// For the other @toolwright packages. It may change in any version: programs import from the package itself.
export { isUrl } from './api/urls.ts';
export { parseJsonSteps } from './content/json-steps.ts';
export { isNestedDeeperThan, isObject, parseJson } from './content/json-values.ts';
export { MAX_MESSAGE_VALUES } from './content/message-meter.ts';
export { oneLine, roughTokens, shorten, withoutControls } from './content/shorten.ts';
export { textValue } from './content/text-value.ts';
export { lazyConnector } from './lazy.ts';
export { forwardingConnector } from './mcp/http/forwarding-connector.ts';
export type { ServerLogs } from './mcp/mcp-options.ts';
export { addressesOf, isLoopbackHost, isPrivateAddress } from './network/addresses.ts';
export { outgoingFetch } from './network/outgoing-fetch.ts';
export { proxyOf } from './network/proxies.ts';
export { openServer } from './open-server.ts';
export { invalidServer } from './servers/invalid-server.ts';
export { serverKeyOf } from './servers/server-key.ts';
export { invalidArguments, listProblems, type Problem, propertyPath } from './tools/argument-problems.ts';
export { measureTool } from './tools/usable-tool.ts';
export { callerContext, failSpan, inSpan, isTraced, type TraceFields, traceFields } from './tracing.ts';
