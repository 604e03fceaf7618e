import type { ToolDefinition } from '@toolwright/connectors';
import { definitionTexts } from '../poisoning/definition-texts.ts';
import { FINDING_TEXTS, type Finding } from '../poisoning/finding.ts';
import { namesIn } from '../poisoning/references.ts';
import { isHeldFor, scanDefinition } from '../poisoning/scan.ts';
import { pinOf } from './compare.ts';
import type { PinReason, PinSource, ServerRecord, StoredPin } from './pin.ts';

/** One tool of a listing, with its parts that do not depend on other servers. */
export interface ListedTool {
  readonly definition: ToolDefinition;
  readonly pin: StoredPin;
  /** Names in its texts that can be names of tools. */
  readonly mentioned: readonly string[];
  /** The last evidence, and the foreign tools that were known for it. */
  scanned?: { readonly foreign: number; readonly findings: readonly Finding[] };
}

/** The last listing of a server. */
export interface Listing {
  readonly server: string;
  /** Whether the program itself defines the tools. */
  readonly isTrusted: boolean;
  /** Position in the configuration. */
  readonly order: number;
  readonly tools: readonly ListedTool[];
  readonly names: ReadonlySet<string>;
  /** Undefined when the store did not answer, and for trusted servers without approvals. */
  record: ServerRecord | undefined;
}

/** Prepares a tool of a listing. */
export function listedTool(source: PinSource, definition: ToolDefinition): ListedTool {
  const mentioned = new Set(definitionTexts(definition).flatMap(({ text }) => namesIn(text).map(({ name }) => name)));
  return { definition, pin: pinOf(source, definition), mentioned: [...mentioned] };
}

/** Returns the reason for which the texts of a tool put it into quarantine. */
export function poisonReason(
  tool: ListedTool,
  own: ReadonlySet<string>,
  isForeign: (name: string) => boolean,
): PinReason | undefined {
  const foreign = tool.mentioned.filter(isForeign).length;
  if (tool.scanned?.foreign !== foreign) {
    tool.scanned = { foreign, findings: scanDefinition(tool.definition, { own, isForeign }) };
  }
  const { findings } = tool.scanned;
  if (!isHeldFor(findings)) return undefined;
  const texts = findings.map(
    ({ kind, place, excerpt }) => `it ${FINDING_TEXTS[kind]} (${place}: ${JSON.stringify(excerpt)})`,
  );
  return { code: 'poisoned', text: texts.join('; ') };
}
