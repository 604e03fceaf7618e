import type { Tool } from '@toolwright/connectors';
import { shorten } from '@toolwright/connectors/internal';
import type { SignatureBudget } from '../../signatures/signature.ts';
import { toolSummary } from '../../signatures/signature.ts';
import type { ToolWriter } from '../../signatures/writer.ts';
import type { ToolMatch } from '../tool-index.ts';
import type { DetailLevel } from './detail-level.ts';

/** One tool or skill that a search found, ready to be called. */
export interface SearchHit {
  readonly id: string;
  readonly server: string;
  /** One line that calls it: `servers.server.tool({…})`, or `await servers.server.tool(…)` in Python. */
  readonly signature: string;
  /** The first sentence of the tool's description; may be empty. */
  readonly description: string;
  /** The whole declaration with its documentation; only at the detail level `full`, and for tools only. */
  readonly definition?: string;
  /** Higher is better. Scores are comparable within the hits of one query only. */
  readonly score: number;
  /** Set for a skill of the searching user: `id` is its name, and `signature` runs, imports or loads it. */
  readonly kind?: 'skill';
}

/** A skill in the form that a search needs: the query is compared with `tool`, and `signature` is shown. */
export interface SearchableSkill {
  readonly tool: Tool;
  readonly signature: string;
}

/** A longer definition is not part of an answer, which has a limit for all hits together. */
const MAX_DEFINITION_CHARACTERS = 3_000;
/** Approximate tokens of the parts of a shortened hit. */
const BRIEF: SignatureBudget & { readonly description: number } = { arguments: 24, result: 12, description: 12 };

/** Merges the matches of several queries into one list without duplicates: the best match of each query comes first. */
export function mergeMatches(matches: readonly (readonly ToolMatch[])[], max: number): ToolMatch[] {
  const merged = new Map<string, ToolMatch>();
  const longest = Math.max(0, ...matches.map((list) => list.length));
  for (let rank = 0; rank < longest; rank++) {
    for (const list of matches) {
      const match = list[rank];
      if (match && !merged.has(match.tool.id)) merged.set(match.tool.id, match);
    }
  }
  return [...merged.values()].slice(0, max);
}

export interface HitOptions {
  readonly skills?: readonly SearchableSkill[];
  /** Shows fewer arguments, a shorter result type and a shorter description. */
  readonly brief?: boolean;
}

/** Describes a match for the reader. */
export function searchHit(
  { tool, score }: ToolMatch,
  writer: ToolWriter,
  { skills = [], brief = false }: HitOptions = {},
): SearchHit {
  const { id, server } = tool;
  const found = skills.find((candidate) => candidate.tool === tool);
  if (found) return { id, server, signature: found.signature, description: toolSummary(tool), score, kind: 'skill' };
  const description = brief ? shorten(toolSummary(tool), BRIEF.description) : toolSummary(tool);
  return { id, server, signature: writer.signature(tool, brief ? BRIEF : undefined), description, score };
}

/** Adds the definition of its tool to a hit. */
export function wholeHit(hit: SearchHit, { tool }: ToolMatch, writer: ToolWriter): SearchHit {
  return hit.kind === 'skill' ? hit : { ...hit, definition: writer.docs(tool) };
}

/** Returns the text of a hit in an answer. By default it is its signature, and its description on the next line. */
export function hitText({ id, signature, description, definition }: SearchHit, level: DetailLevel = 'summary'): string {
  if (level === 'names') return id;
  if (definition !== undefined && definition.length <= MAX_DEFINITION_CHARACTERS) return definition;
  const summary = description === '' ? signature : `${signature}\n  ${description}`;
  return definition === undefined ? summary : `${summary}\n  long: read get_tool_definition(${JSON.stringify(id)})`;
}
