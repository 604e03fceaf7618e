import { acceptedAnnotations, type Detail, type Tool, type ToolLanguage } from '@toolwright/connectors';
import { oneLine } from '@toolwright/connectors/internal';
import { ToolwrightError } from '../../errors.ts';
import type { ServerState } from '../server-state.ts';
import type { Servers } from '../servers.ts';
import { type SignatureBudget, toolSummary } from '../signatures/signature.ts';
import type { ToolWriter } from '../signatures/writer.ts';
import type { ToolLookup } from '../tool-lookup.ts';
import { isPage, MAX_DETAILS_CHARACTERS, pageOf, partOfOutline } from './outline.ts';

/** Approximate tokens of the shortest call: its result is left out. */
const CALL: SignatureBudget = { arguments: 16, result: 0 };

/** The tool or the server that a name means, and the part of its description that the name selects. */
export type Subject =
  | {
      readonly tool: Tool;
      /** A type, a page, or both; empty for the whole tool. */
      readonly path: readonly string[];
    }
  | { readonly server: ServerState; readonly tools: readonly Tool[]; readonly page: string | undefined };

export interface SubjectOptions {
  readonly lookup: ToolLookup;
  readonly servers: Servers;
}

/**
 * Finds a tool or a server by its name. A `.Type` at the end of the name selects a type of the tool, and `.2` the next page of a
 * long text. Raises `UNKNOWN_TOOL` like the lookup.
 */
export async function subjectOf(
  name: string,
  language: ToolLanguage,
  { lookup, servers }: SubjectOptions,
): Promise<Subject> {
  const [, base = name, page] = /^(.*)\.([1-9]\d{0,5})$/s.exec(name) ?? [];
  const server = servers.known(name, language) ?? servers.known(base, language);
  if (server === undefined || lookup.isTool(name)) return locate(name, language, lookup);
  const listed = await lookup.listedTools(server.name);
  return { ...listed, page: server.name === name ? undefined : page };
}

/** Describes a subject. A server has one description, in any detail. */
export function subjectText(subject: Subject, detail: Detail, writer: ToolWriter): string {
  if ('server' in subject) return describeServer(subject);
  const { tool, path } = subject;
  if (path.length === 0) return describeTool(tool, detail, writer);
  return partOfOutline(writer.outline(tool), path, { name: tool.id, comment: writer.comment });
}

type ToolPart = Extract<Subject, { readonly tool: Tool }>;

async function locate(name: string, language: ToolLanguage, lookup: ToolLookup): Promise<ToolPart> {
  try {
    const atPath = language === 'python' ? await lookup.atPythonPath(name) : undefined;
    return { tool: atPath ?? (await lookup.find(name, language)), path: [] };
  } catch (error) {
    const [, base = '', last = ''] = /^(.+)\.(\w+)$/s.exec(name) ?? [];
    if (base === '' || !(error instanceof ToolwrightError) || error.code !== 'UNKNOWN_TOOL') throw error;
    // The first error is about the name as it was given.
    const inner = await locate(base, language, lookup).catch(() => Promise.reject(error));
    const isPart = inner.path.length === 0 || (inner.path.length === 1 && !isPage(inner.path[0] ?? '') && isPage(last));
    if (!isPart) throw error;
    return { tool: inner.tool, path: [...inner.path, last] };
  }
}

function describeTool(tool: Tool, detail: Detail, writer: ToolWriter): string {
  if (detail === 'docs') {
    const docs = writer.docs(tool);
    if (docs.length <= MAX_DETAILS_CHARACTERS) return docs;
    return partOfOutline(writer.outline(tool), [], { name: tool.id, comment: writer.comment });
  }
  if (detail === 'call') return writer.signature(tool, CALL);
  if (detail === 'schema') {
    const { description, inputSchema, outputSchema } = tool.definition;
    const annotations = tool.definition.annotations && acceptedAnnotations(tool);
    return JSON.stringify({ name: tool.id, description, inputSchema, outputSchema, annotations });
  }
  const summary = toolSummary(tool);
  return summary === '' ? writer.signature(tool) : `${writer.signature(tool)}\n  ${summary}`;
}

/** Returns the description of a server, its instructions, and the ids of its tools. */
function describeServer({ server, tools, page }: Extract<Subject, { readonly server: ServerState }>): string {
  const { name, connector } = server;
  const { description = '', instructions = '' } = connector;
  const text = [
    `Server ${name}${description === '' ? '' : `: ${oneLine(description)}`}`,
    ...(instructions.trim() === '' ? [] : [`Instructions:\n${instructions.trim()}`]),
    `${tools.length} tools: ${tools.map(({ id }) => id).join(', ')}`,
  ].join('\n\n');
  return pageOf(text, page, { name, comment: '//' });
}
