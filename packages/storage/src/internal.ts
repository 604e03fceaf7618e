// For the other @toolwright packages. It may change in any version: programs import from the package itself.
export type { BlobStore } from './blobs/blob.ts';
export { openBlobs } from './blobs/open.ts';
export type { Bus } from './buses/bus.ts';
export { memoryBus } from './buses/memory.ts';
export { openBus } from './buses/open.ts';
export { sqliteBus } from './buses/sqlite.ts';
export { databaseClock, stateClock } from './clocks/database-clock.ts';
export { monotonicMs } from './clocks/machine-clock.ts';
export { exportAuditRecords, importAuditRecords } from './copy/audit-records.ts';
export {
  type CopiedCounts,
  type CopiedPart,
  type CopiedRow,
  type CopiedTable,
  type CopyChoices,
  copyRows,
  tablePart,
} from './copy/rows.ts';
export { type CopiedState, copyStore } from './copy/store.ts';
export {
  type DataFolder,
  dataFolder,
  dataFolderError,
  isSessionId,
  requireDataFolder,
  STATE_FILE,
} from './data-folder/data-folder.ts';
export { errnoOf, hasNoInodes } from './data-folder/disk.ts';
export { folderName } from './data-folder/folder-name.ts';
export { keepImported, purgeImported } from './data-folder/imported-files.ts';
export {
  type Chain,
  checkJournalKey,
  codeOf,
  createChain,
  definitionKey,
  derivedSealingKey,
  isLong,
  journalKey,
  keyedName,
  loginKey,
  questionKey,
} from './data-folder/integrity.ts';
export { createOnce, flushFile, flushFolder } from './data-folder/own-files.ts';
export { type Database, type Prepared, prepared, preparedBy, type Query, type Row, type SqlValue } from './database.ts';
export { createFlusher, DURABILITIES } from './durability.ts';
export { checkStore } from './health.ts';
export {
  countLivingOwners,
  folderIdentity,
  LEASE_TTL_MS,
  type Owner,
  openOwner,
  ownerLives,
  ownershipLost,
  type ProcessLease,
  requireNoFormerProcess,
} from './leases/owner.ts';
export {
  leasedBy,
  leasedRows,
  openRowLeases,
  type RowLease,
  type RowLeases,
  type RowLeasesOptions,
} from './leases/row-leases.ts';
export { clusterUrl, isClusterStore, parsePostgresUrl } from './postgres/address.ts';
export { auditTable } from './postgres/audit-table.ts';
export { openPostgres, type Postgres } from './postgres/connection.ts';
export { escapedText, unescapedText } from './postgres/escaped-text.ts';
export { openNotifications } from './postgres/notifications.ts';
export { databaseOf } from './postgres.ts';
export { copySqlite, memorySqlite, openSqlite } from './sqlite/database.ts';
export type { Entry } from './store.ts';
