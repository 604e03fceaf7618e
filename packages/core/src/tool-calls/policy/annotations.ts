import { acceptedAnnotations, type Tool } from '@toolwright/connectors';
import type { PolicyConfig } from '../../config/policy/schema.ts';
import { compileGlobs } from '../../glob.ts';

/** The annotations of a tool, all of them. */
export interface EffectiveAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/**
 * Creates a function that returns the annotations of a tool. Those of the policy come first, then the accepted ones of its server,
 * then the defaults of MCP. A server may send anything, so only the exact values count. A read-only tool is not destructive, and it is
 * idempotent. A tool in quarantine writes, also against the policy: nobody has accepted its definition.
 */
export function annotationsFrom(marks: PolicyConfig['tools']): (tool: Tool) => EffectiveAnnotations {
  const compiled = marks.map(({ servers = '*', tools = '*', ...mark }) => ({
    ...mark,
    isServer: compileGlobs(servers),
    isTool: compileGlobs(tools),
  }));
  const marked = ({ id, server, isQuarantined }: Tool, name: 'readOnly' | 'idempotent') =>
    isQuarantined
      ? false
      : compiled.find((mark) => mark[name] !== undefined && mark.isServer(server) && mark.isTool(id))?.[name];
  return (tool) => {
    const hints = acceptedAnnotations(tool);
    const readOnlyHint = marked(tool, 'readOnly') ?? hints.readOnlyHint === true;
    return {
      readOnlyHint,
      destructiveHint: !readOnlyHint && hints.destructiveHint !== false,
      idempotentHint: marked(tool, 'idempotent') ?? (readOnlyHint || hints.idempotentHint === true),
      openWorldHint: hints.openWorldHint !== false,
    };
  };
}
