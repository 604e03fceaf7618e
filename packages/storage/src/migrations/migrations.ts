import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '../database.ts';

/** The migrations of an engine, in files of a folder. Each is run once, in the order of the names, and never changed after its release. */
export interface Migrations {
  readonly folder: string;
  readonly names: readonly string[];
  /** The oldest number of migrations with which a version of Toolwright can use the tables of this one; 0 for no other. */
  readonly compatibleFrom: number;
}

const COMPATIBLE_FROM = { sqlite: 0, postgres: 1 };
const SQL = '.sql';
const known = new Map<string, Migrations>();

/** Returns the migrations of an engine. */
export function migrationsOf(engine: Database['engine']): Migrations {
  const found = known.get(engine) ?? readMigrations(engine);
  known.set(engine, found);
  return found;
}

/** Returns the SQL of a migration. */
export function migrationText({ folder }: Migrations, name: string): string {
  return readFileSync(join(folder, name + SQL), 'utf8');
}

function readMigrations(engine: Database['engine']): Migrations {
  const folder = join(fileURLToPath(new URL('.', import.meta.url)), engine);
  const names = readdirSync(folder).map((name) => name.slice(0, -SQL.length));
  return { folder, names: names.sort(), compatibleFrom: COMPATIBLE_FROM[engine] };
}
