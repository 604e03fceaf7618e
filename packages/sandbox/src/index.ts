// Run a program.

export { SandboxError, type SandboxErrorCode } from './errors.ts';
export type { HostFunction, HostFunctions } from './host-functions.ts';
export { type RunCodeOptions, type RunEnding, type RunError, type RunResult, runCode } from './run-code.ts';
export type { RunLimits } from './run-limits.ts';

// The built-in sandboxes.

export { type ChosenSandbox, openSandboxes, type SandboxSet, type SandboxSetOptions } from './sandboxes/choose.ts';
export { type DockerSandboxOptions, dockerSandbox } from './sandboxes/docker.ts';
export { type JailSandboxOptions, jailSandbox } from './sandboxes/jail.ts';
export { type KubernetesSandboxOptions, kubernetesSandbox } from './sandboxes/kubernetes.ts';
export { type MicrosandboxOptions, microsandboxSandbox } from './sandboxes/microsandbox.ts';
export { type PyodideSandboxOptions, pyodideSandbox } from './sandboxes/pyodide.ts';
export { type QuickjsSandboxOptions, quickjsSandbox } from './sandboxes/quickjs.ts';

// The port `Sandbox`, and the parts of a sandbox of your own.

export type { BridgeAnswer, GuestBridge, GuestFailure, GuestOutcome, GuestRequest, Room } from './bridge/protocol.ts';
export type { Program } from './languages/language.ts';
export { GUEST_FOLDER } from './sandboxes/guest-folder.ts';
export { type ChildOptions, type GuestCarrier, type ProcessEnd, spawnGuest } from './sandboxes/guest-process.ts';
export {
  createPooledSandbox,
  type GuestKind,
  type PooledSandboxOptions,
  type PoolSettings,
} from './sandboxes/pool/pooled.ts';
export type {
  Pauses,
  RunningGuest,
  Sandbox,
  SandboxLimits,
  SandboxProbe,
  SandboxRunOptions,
} from './sandboxes/sandbox.ts';

// The host's end of the bridge, for other operations than host functions.

export {
  type BridgeHost,
  type BridgeHostOptions,
  type BridgeLimits,
  type BridgeOperations,
  createBridgeHost,
} from './bridge/host.ts';
export type { LogLine } from './bridge/log.ts';

// Languages, which turn source text into programs.

export { LANGUAGE_NAMES, type Language, type LanguageName, type PreparedSource } from './languages/language.ts';
export type { NamedFunction, ProgramNames } from './languages/program-names.ts';
export { pythonLanguage } from './languages/python.ts';
export { typescriptLanguage } from './languages/typescript.ts';

// The port `Checker`, which checks the types of a program before it runs.

export type { Checker, CheckProblem, CheckVerdict, ProblemKind, ToolReference } from './checkers/checker.ts';
