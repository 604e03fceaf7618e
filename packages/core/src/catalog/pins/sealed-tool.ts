import type { ToolDefinition } from '@toolwright/connectors';
import { type SealingKey, seal, unseal } from '@toolwright/pii/internal';

/** The texts of a pinned tool. */
export interface PinnedTexts {
  readonly name: string;
  /** Absent when it is too long to be stored. */
  readonly definition?: ToolDefinition | undefined;
}

/** Seals the texts of a tool: they may have personal data, which no store holds in plain text. */
export function sealTool(key: SealingKey, server: string, texts: PinnedTexts): string {
  return seal(key, placeOf(server), Buffer.from(JSON.stringify(texts))).toString('base64');
}

/** Opens the sealed texts of a tool. Returns undefined with another key: each data folder has its own, and its own pins. */
export function openTool(key: SealingKey, server: string, sealed: string): PinnedTexts | undefined {
  try {
    return JSON.parse(unseal(key, placeOf(server), Buffer.from(sealed, 'base64')).toString('utf8'));
  } catch {
    return undefined;
  }
}

function placeOf(server: string): string[] {
  return ['pin', server];
}
