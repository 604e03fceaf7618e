import type { ToolAnnotations, ToolDefinition } from '../../tools/tool.ts';
import type { SchemaStore } from '../schemas/schema-store.ts';
import type { Method, Operation, OperationPlan } from './operation.ts';

/** Properties of the methods by RFC 9110. Only `DELETE` promises to remove something; any other may change something. */
const ANNOTATIONS: Readonly<Record<Method, ToolAnnotations>> = {
  get: { readOnlyHint: true, openWorldHint: true },
  head: { readOnlyHint: true, openWorldHint: true },
  options: { readOnlyHint: true, openWorldHint: true },
  put: { readOnlyHint: false, idempotentHint: true, openWorldHint: true },
  delete: { readOnlyHint: false, idempotentHint: true, destructiveHint: true, openWorldHint: true },
  post: { readOnlyHint: false, openWorldHint: true },
  patch: { readOnlyHint: false, openWorldHint: true },
};

/**
 * Returns the definition of an operation. Its schemas are built each time they are read: those of a thousand operations would take
 * a hundred times the memory of their texts.
 */
export function toolDefinition(operation: Operation, schemas: SchemaStore): ToolDefinition {
  const { name, description, method, hasOutput } = operation;
  const plan = (): OperationPlan => JSON.parse(operation.plan) as OperationPlan;
  const definition = {
    name,
    description: description === '' ? undefined : description,
    annotations: ANNOTATIONS[method],
    get inputSchema() {
      return schemas.build(plan().input, 'input');
    },
  };
  if (!hasOutput) return definition;
  return Object.defineProperty(definition, 'outputSchema', {
    enumerable: true,
    get() {
      const { output } = plan();
      return output === undefined ? undefined : schemas.build(output, 'output');
    },
  });
}
