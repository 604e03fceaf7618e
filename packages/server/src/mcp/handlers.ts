import type { Handler } from './call.ts';
import { executeCode } from './execution.ts';
import { restorePii, sanitizePii } from './personal-data.ts';
import { listWorkspaceFiles, readWorkspaceFile, writeWorkspaceFile } from './sessions/workspaces.ts';
import { listSkills, loadSkill, saveSkill } from './skills/skills.ts';
import { getToolDefinition, searchTools } from './tools/catalog.ts';
import type { ToolName } from './tools/definitions.ts';
import { executionStats } from './usage/stats.ts';

/** The handler of each tool of the MCP server. */
export const HANDLERS: Readonly<Record<ToolName, Handler>> = {
  execute_code: executeCode,
  search_tools: searchTools,
  get_tool_definition: getToolDefinition,
  save_skill: saveSkill,
  load_skill: loadSkill,
  list_skills: listSkills,
  sanitize_pii: sanitizePii,
  restore_pii: restorePii,
  write_workspace_file: writeWorkspaceFile,
  read_workspace_file: readWorkspaceFile,
  list_workspace_files: listWorkspaceFiles,
  get_execution_stats: executionStats,
};
