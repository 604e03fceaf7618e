/** Adds the current name of an execution's id. The deprecated name `id` stays until after version 0.1. */
export function withExecutionId<T extends { readonly id: string }>(record: T): T & { readonly executionId: string } {
  return { executionId: record.id, ...record };
}
