import type { Finding } from './finding.ts';
import { aiRule } from './lint/agents/ai.ts';
import { memoryRule } from './lint/agents/memory.ts';
import { toolNameRule } from './lint/agents/tool-names.ts';
import { branchRule } from './lint/branches.ts';
import { columnRule } from './lint/columns.ts';
import { connectionRule } from './lint/connections.ts';
import { cycleFindings } from './lint/cycles.ts';
import { duplicateRule } from './lint/duplicates.ts';
import { expressionFindings } from './lint/expressions/expressions.ts';
import { filterRule } from './lint/filters.ts';
import { assignmentFindings } from './lint/literals/assignments.ts';
import { bareVariableRule } from './lint/literals/bare-variables.ts';
import { dateRule } from './lint/literals/dates.ts';
import { environmentRule } from './lint/literals/environment.ts';
import { jsonTextRule } from './lint/literals/json-texts.ts';
import { neededFieldRule } from './lint/literals/needed-fields.ts';
import { settingRule } from './lint/literals/settings.ts';
import { sqlTextRule } from './lint/literals/sql-texts.ts';
import { switchOutputRule } from './lint/literals/switch-outputs.ts';
import { urlRule } from './lint/literals/urls.ts';
import { nodeOrderRule } from './lint/node-order.ts';
import { nodeRule } from './lint/nodes.ts';
import { programFindings } from './lint/programs/code.ts';
import type { Linted, LintRule } from './lint/report.ts';
import { unreachableNodeRule } from './lint/unreachable-nodes.ts';
import { valueRule } from './lint/values.ts';
import { webhookDataRule } from './lint/webhook-data.ts';
import { byName } from './publish.ts';
import type { Caller } from './syntax.ts';
import { withSyntax } from './syntax.ts';

const RULES: readonly LintRule[] = [
  connectionRule,
  branchRule,
  duplicateRule,
  valueRule,
  columnRule,
  filterRule,
  bareVariableRule,
  dateRule,
  environmentRule,
  jsonTextRule,
  neededFieldRule,
  settingRule,
  sqlTextRule,
  switchOutputRule,
  urlRule,
  nodeOrderRule,
  webhookDataRule,
  aiRule,
  memoryRule,
  toolNameRule,
  nodeRule,
  unreachableNodeRule,
];

/** Reports problems that n8n accepts: errors hang n8n; warnings fail at execution or have no effect. */
export async function lintFindings(
  { workflow, graph, checked, catalog }: Omit<Linted, 'byName'>,
  caller: Caller,
): Promise<{ errors: Finding[]; warnings: Finding[] }> {
  const linted = { workflow, graph, checked, byName: byName(checked), catalog };
  const { errors, warnings } = cycleFindings(linted);
  const written = await withSyntax(caller, (syntax) => [
    ...expressionFindings(workflow, syntax),
    ...programFindings(linted, syntax),
    ...assignmentFindings(linted, syntax),
  ]);
  return { errors, warnings: [...warnings, ...written, ...RULES.flatMap((rule) => rule(linted))] };
}
