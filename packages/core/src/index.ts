export type {
  CompletionRequest,
  CompletionValues,
  Connector,
  ConnectorStatus,
  ContextSource,
  Detail,
  JsonSchema,
  ListedResources,
  PromptDefinition,
  PromptMessages,
  ResourceContents,
  ResourceDefinition,
  ResourceTemplateDefinition,
  StandardSchemaV1,
  Tool,
  ToolAnnotations,
  ToolCallOptions,
  ToolDefinition,
} from '@toolwright/connectors';
export {
  type InlineConnectorOptions,
  type InlineServers,
  type InlineTool,
  type InlineToolContext,
  inlineConnector,
  mcpConnector,
} from '@toolwright/connectors';
export { type Durability, openStore, postgresStore, redisStore, type Store, sqliteStore } from '@toolwright/storage';
export type { ProfileSummary, ReloadReport, ServerEntry, Toolwright } from './api.ts';
export { type Catalog, createCatalog } from './catalog/catalog.ts';
export type { PinMode, PinReason, ToolPin } from './catalog/pins/pin.ts';
export { ALL_TOOLS, type ProfileOptions } from './catalog/profiles/profile.ts';
export type { SearchAnswer } from './catalog/search/answer/answer.ts';
export type { SearchHit } from './catalog/search/answer/hit.ts';
export type { ServerSummary, UserCatalog } from './catalog/user-catalog.ts';
export type { Command, CommandDefinition, Option, Options, Output } from './config/command.ts';
export { findConfig, loadConfig, parseConfig, type ToolwrightConfig } from './config/config.ts';
export type { PolicyConfig, PolicySettings } from './config/policy/schema.ts';
export { DEFAULT_LIMITS, type Limits } from './config/sections/limits.ts';
export type { WaitSettings } from './config/sections/waits.ts';
export { configText, configUrl, type Environment } from './config/variables.ts';
export { type ErrorCode, type ErrorKind, errorKind, ToolwrightError } from './errors.ts';
export type { CheckResult } from './execution/check/check.ts';
export type { ExpectedCall } from './execution/check/expected-calls.ts';
export type {
  CallDifference,
  ComparedCall,
  ComparedOutcome,
  ExecutionDiff,
  LogDifference,
} from './execution/compare/differences.ts';
export type {
  ExecutionCall,
  ExecutionChange,
  ExecutionChangesOptions,
  ExecutionFilter,
  ExecutionRecord,
  ExecutionStatus,
  ExecutionSummary,
  Executions,
  ForkOptions,
  ResumeOptions,
} from './execution/executions.ts';
export type {
  LastingArguments,
  LastingDecision,
  LastingRequest,
} from './execution/lasting-decisions/lasting-decisions.ts';
export type { ApprovalAnswer, DecideRequest } from './execution/questions/decide.ts';
export type { OnSampling, SamplingRequest } from './execution/questions/input-sources.ts';
export type { ApprovalRequest, OnApproval } from './execution/questions/on-approval.ts';
export type { Replay } from './execution/replay/replay.ts';
export type { Difference } from './execution/replay/replies.ts';
export type { ExecuteOptions, ExecuteRequest } from './execution/request.ts';
export type {
  CallEvent,
  CallEvents,
  ExecutionBatch,
  ExecutionQuery,
  FollowOptions,
  FoundExecutions,
  ListedExecution,
} from './history/listing/listed-execution.ts';
export type { ToolCount } from './history/listing/row.ts';
export type {
  ExecutionError,
  ExecutionResult,
  ExecutionStats,
  MediaFile,
  PendingQuestion,
  PlannedCall,
  ResultFile,
  StopLimit,
  SuspendedOutcome,
} from './history/result.ts';
export { inProfile } from './in-profile.ts';
export type { ToolCallRecord } from './journal/call-record.ts';
export type { CoveredCalls, WaitKind } from './journal/entries.ts';
export type { LoginChange, LoginLink, LoginOwner, Logins } from './logins/login.ts';
export type { ToolwrightOptions } from './options.ts';
export type { GraphConnection, GraphNode, GraphProblem, PluginPage, RecordedGraph } from './plugins/page.ts';
export type { Plugin, PluginContext } from './plugins/plugin.ts';
export type { PiiExtensions, PiiSettings } from './privacy/privacy.ts';
export type { ContextRequest, ServerContextApi, ServerPrompts } from './servers/server-context.ts';
export type { ToolPins } from './servers/tool-pins.ts';
export type { SessionEntry } from './sessions/log.ts';
export type { Session, SessionOwner, Sessions } from './sessions/session.ts';
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
export { createLogger, type Logger, type LoggerOptions, stderrLogger } from './telemetry/log.ts';
export { createToolwright } from './toolwright.ts';
export type { FileEntry, Files } from './workspaces/files.ts';
