import type { ServerSummary } from '@toolwright/core';

/** Returns why a server is not ready, and the fix. */
export function serverProblem({ name, status }: ServerSummary, waitMs: number): string {
  if (status.problem !== undefined) return status.problem;
  if (status.state !== 'connecting') return status.state;
  const fix = `Start its program by hand or open its URL to see why, or correct mcpServers.${name}`;
  return `it was still connecting after ${waitMs} ms. ${fix}.`;
}
