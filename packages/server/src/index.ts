export { DEFAULT_TASK_LIMITS } from './agent/limits.ts';
export type { RetrySettings } from './agent/loop/ask-model.ts';
export type {
  ClusterTasks,
  SubmitTask,
  Task,
  TaskEvent,
  TaskExecution,
  TaskLimits,
  TaskPage,
  TaskRequest,
  TaskStatus,
  Tasks,
  TaskUsage,
} from './agent/task.ts';
export { createTasks, type TasksOptions } from './agent/tasks.ts';
export {
  type ApprovalDecision,
  type CodeProgress,
  type CodeToolAnswer,
  type CodeToolCallOptions,
  type CodeTools,
  type CodeToolsOptions,
  createCodeTools,
  type PendingApproval,
} from './code-tools.ts';
export { createHttpServer, type HttpServer, type HttpServerOptions } from './http-server.ts';
export { type ModelSettings, openModels } from './models/choose.ts';
export type {
  Model,
  ModelAnswer,
  ModelCall,
  ModelMessage,
  ModelPrice,
  ModelRequest,
  ModelTool,
  ModelUsage,
  OpenModel,
} from './models/model.ts';
export { modelSampler } from './models/sampler.ts';
export { type ScriptedModelOptions, type ScriptedStep, scriptedModel } from './models/scripted.ts';
export { VERSION } from './version.ts';
