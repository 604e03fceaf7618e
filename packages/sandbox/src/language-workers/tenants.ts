/** A tenant whose text ended a worker is limited for this time. */
const LIMITED_MS = 60_000;

/** Decides which tenant may have the next worker of a pool. */
export interface TenantRules {
  /** Returns whether a tenant may have another worker while these tenants have one each. */
  mayRun(tenant: string, running: readonly string[]): boolean;
  /** Makes a tenant share one worker with all other limited tenants, for a minute. */
  limit(tenant: string): void;
}

/** Creates the rules of a pool: no tenant has all of its workers, and all limited tenants together have one. */
export function createTenantRules(size: number): TenantRules {
  const limitedUntil = new Map<string, number>();
  const isLimited = (tenant: string) => (limitedUntil.get(tenant) ?? 0) > performance.now();
  return {
    mayRun(tenant, running) {
      if (isLimited(tenant)) return !running.some(isLimited);
      return running.filter((other) => other === tenant).length < Math.max(1, size - 1);
    },
    limit(tenant) {
      const now = performance.now();
      for (const [known, until] of limitedUntil) if (until < now) limitedUntil.delete(known);
      limitedUntil.set(tenant, now + LIMITED_MS);
    },
  };
}
