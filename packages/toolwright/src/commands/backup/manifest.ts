import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularText } from '@toolwright/connectors/read-file';
import { UsageError } from '@toolwright/core/command';
import * as z from 'zod';
import type { BackupFile } from './files.ts';

/** The folder of the copied files in a backup. */
export const DATA = 'data';
/** The entries of a data folder that a backup never has: leases of processes, files that Toolwright makes again, and open databases. */
export const NEVER_COPIED = /^(?:owners|indexes|proofs|checkouts|packages|(?:store|executions|state)\.db.*)$/;
/** The folders of a data folder that a shared store has instead. */
export const SHARED =
  /^(?:sessions|customers|users|executions|history|(?:decisions|tasks)(?:\.imported-\d+)?|state\.db.*|applied-changes\.json)$/;
/** The folder of audit records. Those of a data folder are kept next to those of a shared store. */
export const AUDIT = 'audit';
/** The keys of a data folder, without which nobody reads encrypted values. */
export const KEY_FILES = ['master.key', 'journal.key'];

const MANIFEST = 'backup.json';
const FORMAT = 1;
/** It has a line per file of the backup. */
const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  /** ISO 8601, UTC. */
  createdAt: z.string(),
  hasStore: z.boolean(),
  hasKeys: z.boolean(),
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});

/** The contents of a backup. It is written last: a backup without it is not complete. */
export type Manifest = z.infer<typeof manifestSchema>;

/** Writes the manifest of a complete backup. */
export function writeManifest(
  folder: string,
  manifest: Omit<Manifest, 'format' | 'files'> & { files: readonly BackupFile[] },
): void {
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify({ format: FORMAT, ...manifest }, undefined, 2)}\n`, {
    mode: 0o600,
  });
}

/** Reads the manifest of a backup. Raises `UsageError` for a folder that is no complete backup. */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, MANIFEST);
  let read: ReturnType<typeof manifestSchema.safeParse>;
  try {
    read = manifestSchema.safeParse(JSON.parse(await readRegularText(path, MAX_MANIFEST_BYTES)));
  } catch {
    throw new UsageError(`${folder} is not a complete backup: ${path} is missing or damaged. Use another backup.`);
  }
  if (read.success) return read.data;
  throw new UsageError(
    `${path} has another format than ${FORMAT}. Restore it with the version of Toolwright that wrote it.`,
  );
}
