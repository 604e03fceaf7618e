// For the other @toolwright packages. It may change in any version: programs import from the package itself.

export { acceptedAnnotations } from '@toolwright/connectors';
export { type ExpressionReading, languageNamed, languageOf, readExpressions } from '@toolwright/sandbox/internal';
export { createCatalog } from './catalog/catalog.ts';
export { suggest } from './catalog/names/suggest.ts';
export { ALL_TOOLS } from './catalog/profiles/profile.ts';
export { readDetailLevel } from './catalog/search/answer/detail-level.ts';
export { compileFlow } from './config/policy/origins/flow.ts';
export { openOrigins } from './config/policy/origins/origins.ts';
export { shownOrigins } from './config/policy/origins/words.ts';
export { SINK_KINDS } from './config/policy/schema.ts';
export { NAMING_UNKNOWN, nearestKey, PARSING, problemsText, schemaProblems } from './config/problems.ts';
export { settingsSchema } from './config/schema.ts';
export { readSecretText } from './config/secrets/secret-text.ts';
export {
  type JwtSettings,
  jwtDefaults,
  type OidcSettings,
  oidcDefaults,
} from './config/sections/auth.ts';
export type { CorsSettings } from './config/sections/cors.ts';
export { checkLimits } from './config/sections/limits.ts';
export {
  DEFAULT_RATE_LIMITS,
  type Quota,
  type RateLimitSettings,
  SCOPES,
  type Scope,
} from './config/sections/rate-limits.ts';
export { defaultOf, settingsOf } from './config/setting.ts';
export { plainKey } from './config/synonyms.ts';
export { hasNoInodes, isDiskFull, isUncreatable, messageOf } from './errors.ts';
export { execute } from './execution/execute.ts';
export {
  DEFAULT_PAGE_CALLS,
  DEFAULT_PAGE_ENTRIES,
  MAX_CALL_VALUE_BYTES,
  MAX_PAGE_CALLS,
  MAX_PAGE_ENTRIES,
} from './execution/executions.ts';
export { firstAbort } from './execution/first-abort.ts';
export { drawSvg } from './execution/media/drawing.ts';
export { fileType } from './execution/media/format.ts';
export { saveCopy } from './execution/media/output-folder.ts';
export {
  type ExecutionEnded,
  executionBegun,
  executionEnded,
  personalDataFound,
  personalDataUsed,
} from './execution/outcome/diagnostics.ts';
export { withoutHostPaths } from './execution/outcome/host-paths.ts';
export { lockProblem, packageRequests, packageSources, packagesFolder } from './execution/packages/configured.ts';
export { lockFileOf, readLock, writeLock } from './execution/packages/lock-file.ts';
export { noPackages } from './execution/packages/packages.ts';
export { openWaiting } from './execution/questions/waiting.ts';
export { replayExecution } from './execution/replay/replay.ts';
export { executeRequestSchema, PRIORITIES } from './execution/request.ts';
export { keptLines } from './history/kept-lines.ts';
export { DEFAULT_PAGE_EXECUTIONS, MAX_PAGE_EXECUTIONS } from './history/listing/listed-execution.ts';
export { exportExecutions, importExecutions } from './history/storages/copy.ts';
export { fileExecutions } from './history/storages/files.ts';
export { countUnfinished } from './history/storages/unfinished.ts';
export { type DueTimes, dueTimesBy, dueTimesOf } from './journal/due-times.ts';
export type { JournalEntry } from './journal/entries.ts';
export { readRecording } from './journal/recording/read-recording.ts';
export { openValue, sealValue } from './journal/sealed-value.ts';
export { fileReader } from './journal/storages/file.ts';
export { createRows } from './journal/storages/postgres-rows.ts';
export { DEFAULT_USER } from './owner-name.ts';
export { joinCluster } from './privacy/cluster-keys.ts';
export { createSessionStore } from './sessions/sessions.ts';
export {
  APPLIED_CHANGES,
  exportSessions,
  importSessions,
  type SharedPlaces,
} from './sessions/transfer.ts';
export { readFolder } from './skills/folder.ts';
export { createSkillLibraries } from './skills/library.ts';
export { SKILL_FILE } from './skills/skill.ts';
export { validateSkill } from './skills/text/validation.ts';
export { diffSkills, type SkillFileChange } from './skills/versions/diff.ts';
export { quarantine, readCachedFile } from './telemetry/health/damaged-files.ts';
export type { HealthPart } from './telemetry/health/health.ts';
export { serversAsked } from './telemetry/health/server-report.ts';
export { logIds, withLogIds } from './telemetry/log-ids.ts';
export { type CountTokens, loadTokenizer } from './telemetry/tokens.ts';
export { createPolicy, OPEN_POLICY, type Policy } from './tool-calls/policy/create-policy.ts';
export type { Explanation } from './tool-calls/policy/explain.ts';
export { ruleLabel } from './tool-calls/policy/rules.ts';
export { unlessRunning } from './unless-running.ts';
export { readParts, writeParts } from './workspaces/streamed.ts';
