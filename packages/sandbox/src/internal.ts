// For the other @toolwright packages. It may change in any version: programs import from the package itself.

// The host's end of the bridge.

export { createSlots, type Slots } from './bridge/bounds.ts';
export {
  endOfString,
  exactText,
  hasManyDigits,
  holdsInteger,
  markIntegers,
  parseExact,
  parseWithDigits,
  unmarkIntegers,
  withDigits,
  withoutMarks,
  withQuotedIntegers,
} from './bridge/exact-json.ts';
export { type KnownFault, safeListener, toFault } from './bridge/faults.ts';
export { heldBytes, textOf } from './bridge/frames.ts';
export { type Operation, requireText } from './bridge/host.ts';
export {
  countValueSteps,
  countValues,
  hasMoreNames,
  isDeeperThan,
  LISTS,
  MAX_NAMES,
  MAX_VALUES,
} from './bridge/json.ts';
export { type BridgeFault, calledServer, leadingTexts, operationOf } from './bridge/protocol.ts';
export { GUEST_RUNTIME_CODES } from './bridge/runtime-codes.ts';
export { type Lazy, lazy } from './lazy.ts';

// The API of programs.

export { GUEST_NAMES, OPERATIONS } from './guest-api.ts';

// Errors and events.

export { poolsAsked, type Topic, topic } from './diagnostics.ts';
export { messageOf } from './errors.ts';

// Languages and checkers.

export type { ProgramTypes, ToolTypes, TypeSource } from './checkers/checker.ts';
export { findCompiler } from './checkers/typescript/compiler.ts';
export { typescriptChecker } from './checkers/typescript.ts';
export { READING_VERSION } from './language-workers/entry.ts';
export { languageWorkers } from './language-workers/shared.ts';
export { authorFrames, stackText } from './languages/author-frames.ts';
export type { LeafFlow, ProgramFlow } from './languages/flow/flow.ts';
export { languageNamed, type ModuleFunction } from './languages/language.ts';
export { type ExpressionReading, languageOf, readExpressions, readYaml } from './languages/readings.ts';

// The list of sandboxes, for `doctor` and the configuration.

export { SANDBOXES, type SandboxChoice, type SandboxSettings } from './sandboxes/choose.ts';

// Processes and queues.

export { isAlive } from './processes/alive.ts';
export { endGroup, registerGroup, unregisterGroup } from './processes/reaper.ts';
export { fairQueue, mayTakeAnother } from './sandboxes/pool/fairness.ts';
