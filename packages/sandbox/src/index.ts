export { type BridgeHost, type BridgeOperations, createBridgeHost } from './bridge/host.ts';
export type { LogLine } from './bridge/log.ts';
export type { GuestBridge, GuestFailure, GuestOutcome } from './bridge/protocol.ts';
export type { Checker, CheckProblem, CheckVerdict, ProblemKind, ToolReference } from './checkers/checker.ts';
export { SandboxError, type SandboxErrorCode } from './errors.ts';
export type { HostFunction, HostFunctions } from './host-functions.ts';
export {
  LANGUAGE_NAMES,
  type Language,
  type LanguageName,
  type PreparedSource,
  type Program,
} from './languages/language.ts';
export { pythonLanguage } from './languages/python.ts';
export { typescriptLanguage } from './languages/typescript.ts';
export { type RunCodeOptions, type RunEnding, type RunError, type RunResult, runCode } from './run-code.ts';
export type { RunLimits } from './run-limits.ts';
export { openSandboxes } from './sandboxes/choose.ts';
export { type DockerSandboxOptions, dockerSandbox } from './sandboxes/docker.ts';
export { type JailSandboxOptions, jailSandbox } from './sandboxes/jail.ts';
export { type MicrosandboxOptions, microsandboxSandbox } from './sandboxes/microsandbox.ts';
export type { PoolSettings } from './sandboxes/pooled.ts';
export { type PyodideSandboxOptions, pyodideSandbox } from './sandboxes/pyodide.ts';
export { type QuickjsSandboxOptions, quickjsSandbox } from './sandboxes/quickjs.ts';
export type { Sandbox, SandboxLimits, SandboxProbe, SandboxRunOptions } from './sandboxes/sandbox.ts';
