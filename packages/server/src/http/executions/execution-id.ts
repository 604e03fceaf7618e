/** Returns a record of an execution as responses carry it, with its id as `executionId`. */
export function withExecutionId<T extends { readonly id: string }>({
  id,
  ...record
}: T): Omit<T, 'id'> & { readonly executionId: string } {
  return { executionId: id, ...record };
}
