import type { ToolDefinition } from '@toolwright/connectors';
import type { Steps } from '@toolwright/pii/internal';
import { differenceOf, isAnotherServer } from './compare.ts';
import { type Listing, poisonReason } from './listing.ts';
import type { PinReason, ToolPin } from './pin.ts';
import { createShadows, type Original } from './shadows.ts';

/** Reviews the tools of servers, also in comparison with those of the others. */
export interface Reviews {
  readonly listings: ReadonlyMap<string, Listing>;
  /** Replaces the listing of a server. */
  set(listing: Listing): void;
  remove(server: string): void;
  /** Compares each tool of a listing with its pin and with the tools of other servers, and reads its texts. */
  of(listing: Listing): Steps<ReadonlyMap<string, ToolPin>>;
}

/** Creates reviews of no server. */
export function createReviews(idOf: (server: string, name: string) => string): Reviews {
  const listings = new Map<string, Listing>();
  const owners = new Map<string, Set<string>>();
  const shadows = createShadows();

  function remove(server: string): void {
    for (const name of listings.get(server)?.names ?? []) owners.get(name)?.delete(server);
    listings.delete(server);
    shadows.remove(server);
  }

  function shadowReason(listing: Listing, definition: ToolDefinition): PinReason | undefined {
    if (listing.isTrusted) return undefined;
    const original = shadows
      .resembledBy(listing.server, definition)
      .find((each) => isImitated(each, listing) && !shadows.areInstances(listing.server, each.server));
    if (!original) return undefined;
    const same = original.sameText ? 'nearly the description' : 'the name';
    return { code: 'shadowing', text: `it has ${same} of ${idOf(original.server, original.name)}` };
  }

  function isImitated({ server, name, sameText }: Original, listing: Listing): boolean {
    const other = listings.get(server);
    if (!other || !isOlder(other, listing)) return false;
    // A single word, such as `search`, is no sign of imitation. Neither are names of servers that were accepted together.
    const isLater = other.record !== undefined && other.record.sinceMs < (listing.record?.sinceMs ?? 0);
    return sameText || (isLater && /[a-z0-9][_-]|[a-z][A-Z]/.test(name));
  }

  return {
    listings,
    remove,
    set(listing) {
      const { server, names, tools } = listing;
      remove(server);
      listings.set(server, listing);
      for (const name of names) owners.set(name, (owners.get(name) ?? new Set()).add(server));
      shadows.set({ server, definitions: tools.map(({ definition }) => definition) });
    },
    *of(listing) {
      const { server, names, record } = listing;
      const isForeign = (name: string) => [...(owners.get(name) ?? [])].some((owner) => owner !== server);
      const pins = new Map<string, ToolPin>();
      for (const tool of listing.tools) {
        yield;
        const { definition, pin } = tool;
        const known = record?.tools.get(definition.name);
        const isKnown = known?.fingerprint === pin.fingerprint && !isAnotherServer(known, pin.serverKey);
        const approvedAtMs = isKnown ? known.approvedAtMs : undefined;
        const difference = record && !listing.isTrusted ? differenceOf(definition, pin, record, names) : undefined;
        const reasons = [
          difference?.reason,
          // A person has accepted its texts, and its likeness to other tools.
          ...(approvedAtMs === undefined ? [shadowReason(listing, definition)] : []),
          ...(approvedAtMs === undefined ? [poisonReason(tool, names, isForeign)] : []),
        ].filter((reason) => reason !== undefined);
        pins.set(definition.name, {
          id: idOf(server, definition.name),
          server,
          name: definition.name,
          state: reasons.length === 0 ? 'accepted' : 'quarantined',
          reasons,
          fingerprint: pin.fingerprint,
          approvedAt: approvedAtMs === undefined ? undefined : new Date(approvedAtMs).toISOString(),
          diff: difference?.diff,
        });
      }
      return pins;
    },
  };
}

/** Returns whether a server was accepted before another one: earlier, or by the same process and before it in the configuration. */
function isOlder(one: Listing, other: Listing): boolean {
  if (one.isTrusted) return true;
  const [since = 0, otherSince = 0] = [one.record?.sinceMs, other.record?.sinceMs];
  return since === otherSince ? one.order < other.order : since < otherSince;
}
