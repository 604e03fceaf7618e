import { PiiError } from '../errors.ts';
import type { AuditSink } from '../policy/audit.ts';
import { sourcesOf } from '../vault/record.ts';
import type { Known, Vault } from '../vault/vault.ts';

/** Values of tools that the programs of one session may write without having received them. */
const MAX_GUESSES = 1_000;

/** Audits that a value was compared; with a reason, that this was denied. */
export type MatchAudit = (known: Known, reason?: string) => void;

/** Returns the audit of comparisons in one session. */
export function matchAudit(vault: Pick<Vault, 'owner'>, audit: AuditSink): MatchAudit {
  return ({ name, type }, reason) =>
    audit({
      ...vault.owner,
      at: new Date().toISOString(),
      event: reason === undefined ? 'derivation' : 'denial',
      placeholder: name,
      type,
      derivation: 'match',
      ...(reason === undefined ? {} : { reason }),
    });
}

/** Counts the values of tools among placeholders that a program wrote and did not receive. Raises `PII_DENIED` after 1,000. */
export async function countGuesses(
  names: readonly string[],
  { vault, record }: { readonly vault: Vault; readonly record: MatchAudit },
): Promise<void> {
  const guessed = [...(await vault.find(names)).values()].filter((known) => sourcesOf(known).size > 0);
  if (guessed.length === 0) return;
  const isTooMany = (await vault.count('guesses', guessed.length)) > MAX_GUESSES;
  for (const known of guessed) record(known, isTooMany ? 'the programs of this session guess values' : undefined);
  if (!isTooMany) return;
  throw new PiiError(
    'PII_DENIED',
    `The programs of this session wrote more than ${MAX_GUESSES} values of tools that they had not received. Get the values from the tool, or start a new session.`,
  );
}
