import type { ExecuteOptions, Toolwright } from '@toolwright/core';

/** Returns those headers of a request that servers need; undefined for none. No other header leaves the request. */
export function clientHeadersOf(toolwright: Toolwright, headers: Headers | undefined): ExecuteOptions['clientHeaders'] {
  const found = toolwright.clientHeaders().flatMap((name): [string, string][] => {
    const value = headers?.get(name) ?? undefined;
    return value === undefined ? [] : [[name, value]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
