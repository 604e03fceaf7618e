import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { ToolDefinition } from '../tool.ts';

/** The texts of a pinned tool. */
export interface PinnedTexts {
  readonly name: string;
  /** Absent when it is too long to be stored. */
  readonly definition?: ToolDefinition | undefined;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals the texts of a tool with AES-256-GCM: they may have personal data, which no store holds in plain text. */
export function sealTool(key: Buffer, server: string, texts: PinnedTexts): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(server));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(texts)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Opens the sealed texts of a tool; undefined with the key of another data folder, which has pins of its own. */
export function openTool(key: Buffer, server: string, sealed: string): PinnedTexts | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(server))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString('utf8'));
  } catch {
    return undefined;
  }
}
