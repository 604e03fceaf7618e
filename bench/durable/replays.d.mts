export function measureReplays(
  folder: string,
  options?: { executions?: number; seed?: number },
): Promise<{
  executions: number;
  requests: number;
  different: number;
  bySandbox: Record<string, number>;
  first: unknown;
}>;
