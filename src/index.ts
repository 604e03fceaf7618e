export type { RetrySettings } from './agent/ask.ts';
export { DEFAULT_TASK_LIMITS } from './agent/limits.ts';
export type {
  Task,
  TaskEvent,
  TaskExecution,
  TaskLimits,
  TaskRequest,
  TaskStatus,
  Tasks,
  TaskUsage,
} from './agent/task.ts';
export { createTasks, type TasksOptions } from './agent/tasks.ts';
export type { LogLine, ToolCallRecord } from './bridge/record.ts';
export type { CheckProblem, ProblemKind, ToolReference } from './checkers/checker.ts';
export type { Connector, ConnectorStatus, ToolCallOptions } from './connectors/connector.ts';
export type { InlineConnectorOptions, InlineTool } from './connectors/inline.ts';
export type { N8nPolicy, N8nSettings } from './connectors/n8n/settings.ts';
export { type ErrorCode, type ErrorKind, ToolwrightError } from './errors.ts';
export type { CheckResult } from './execution/check.ts';
export { DEFAULT_LIMITS, type Limits } from './execution/limits.ts';
export type { ExecutionError, ExecutionResult, ExecutionStats, ResultFile, StopLimit } from './execution/result.ts';
export type { SessionOwner, Sessions } from './execution/session.ts';
export type { SessionEntry } from './execution/session-log.ts';
export type { Session } from './execution/session-record.ts';
export type { Logger } from './log.ts';
export { type ModelSettings, openModels } from './models/choose.ts';
export type { Model, ModelAnswer, ModelMessage, ModelPrice, ModelRequest, OpenModel } from './models/model.ts';
export { type ScriptedModelOptions, type ScriptedStep, scriptedModel } from './models/scripted.ts';
export type { AuditRecord, AuditSink } from './pii/audit.ts';
export type { Detector, Evidence, PiiType, Span, TextContext } from './pii/detector.ts';
export type { PersonalData, Whose } from './pii/guards.ts';
export type { Derivation, PiiPolicy, Treatment } from './pii/policy.ts';
export type { ProtectStream } from './pii/protect-stream.ts';
export type { RestoreStream } from './pii/restore-stream.ts';
export type { PiiExtensions, PiiSettings } from './privacy.ts';
export { type DockerSandboxOptions, dockerSandbox } from './sandboxes/docker.ts';
export { type JailSandboxOptions, jailSandbox } from './sandboxes/jail.ts';
export { type MicrosandboxOptions, microsandboxSandbox } from './sandboxes/microsandbox.ts';
export type { PoolSettings } from './sandboxes/pooled.ts';
export { type PyodideSandboxOptions, pyodideSandbox } from './sandboxes/pyodide.ts';
export { type QuickjsSandboxOptions, quickjsSandbox } from './sandboxes/quickjs.ts';
export type { Sandbox, SandboxLimits, SandboxRunOptions } from './sandboxes/sandbox.ts';
export {
  type ExecutionSkillDraft,
  SKILL_LIMITS,
  type Skill,
  type SkillDescription,
  type SkillDraft,
  type SkillFile,
  type SkillFrontMatter,
  type SkillLibrary,
  type SkillSignature,
  type SkillSummary,
  type SkillVersion,
} from './skills/skill.ts';
export type { SearchAnswer, SearchHit } from './tools/answer.ts';
export type { ServerSummary } from './tools/catalog.ts';
export type { Detail, JsonSchema, Tool, ToolAnnotations, ToolDefinition } from './tools/tool.ts';
export { createToolwright, type ExecuteOptions, type Toolwright, type ToolwrightOptions } from './toolwright.ts';
export type { FileEntry, Files } from './workspaces/files.ts';
