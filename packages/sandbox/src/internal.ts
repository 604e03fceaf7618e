// For the other @toolwright packages. It may change in any version: programs import from the package itself.
export { type KnownFault, toFault } from './bridge/faults.ts';
export { type Operation, requireText } from './bridge/host.ts';
export { countValues, isDeeperThan, MAX_VALUES } from './bridge/json.ts';
export { safeListener } from './bridge/listener.ts';
export { createSlots } from './bridge/slots.ts';
export type { ProgramTypes, ToolTypes, TypeSource } from './checkers/checker.ts';
export { findCompiler } from './checkers/typescript/connection.ts';
export { typescriptChecker } from './checkers/typescript.ts';
export { poolsAsked, type Topic, topic } from './diagnostics.ts';
export { messageOf } from './errors.ts';
export type { ModuleFunction, SourcePosition } from './languages/language.ts';
export { endGroup, registerGroup, unregisterGroup } from './processes/reaper.ts';
export { SANDBOXES, type SandboxChoice, type SandboxSettings } from './sandboxes/choose.ts';
export type { DockerSettings } from './sandboxes/docker.ts';
export { type FairQueue, fairQueue } from './sandboxes/queue.ts';
