import type { ToolIdentity } from '@toolwright/connectors';
import { compileGlobs, type GlobTest } from '../../../glob.ts';
import type { PolicyConfig } from '../schema.ts';
import { type OwnPlaces, ownPlaces, singleAddress } from './own.ts';

/** A tool whose answers are private. */
export type Source = ToolIdentity;

/** The data that a policy follows to the calls that carry it. */
export interface Readers {
  /** Whether calls that carry data of a tool need a look: a mark or a rule names the tool. */
  isFollowed(source: Source): boolean;
  /** Returns whether a field of a followed answer is private, by its path: `items[].salary`. */
  isPrivateField(source: Source): (path: string) => boolean;
  /** Returns whether a tool may receive data of a source. */
  isReader(source: Source, tool: Source): boolean;
  /** Returns whether a receiver or an address may read data of a source. `isRequested`: the request names it. */
  isReceiver(source: Source, receiver: string, isRequested: boolean): boolean;
}

/** The entry for receivers that the request names. */
const REQUEST = 'request';
/** The data of a rule's key `carries` that leaves its readers. */
export const PRIVATE = 'private';

interface Mark {
  readonly isOf: (source: Source) => boolean;
  readonly isField: GlobTest | undefined;
  readonly isReader: GlobTest;
  readonly isReceiver: GlobTest;
  readonly allowsRequested: boolean;
}

/**
 * Compiles who may read the data of which tools. All marks of a tool hold. The server of the data is a reader, and the operator's own places
 * are receivers. Undefined if no mark and no rule follows any data.
 */
export function readersFrom({ readers: marks = [], rules, own: places }: PolicyConfig): Readers | undefined {
  const named = rules.flatMap(({ carries = [] }) => carries.filter((name) => name !== PRIVATE));
  if (marks.length === 0 && named.length === 0) return undefined;
  const isNamed = named.length === 0 ? () => false : compileGlobs(named);
  const own = ownPlaces(places);
  const compiled = marks.map(compileMark);
  const marksOf = (source: Source) => compiled.filter(({ isOf }) => isOf(source));
  return {
    isFollowed: (source) => isNamed(source.server) || isNamed(source.id) || marksOf(source).length > 0,
    isPrivateField(source) {
      const all = marksOf(source);
      const isWhole = all.length === 0 || isNamed(source.server) || isNamed(source.id);
      return (path) => isWhole || all.some(({ isField }) => isField === undefined || isField(path));
    },
    isReader: (source, tool) =>
      source.server === tool.server ||
      marksOf(source).every(({ isReader }) => isReader(tool.server) || isReader(tool.id)),
    isReceiver: (source, receiver, isRequested) =>
      marksOf(source).every((mark) => (isRequested && mark.allowsRequested) || reaches(mark, receiver, own)),
  };
}

function compileMark({
  servers = '*',
  tools,
  fields,
  readers = [],
  receivers = [],
}: NonNullable<PolicyConfig['readers']>[number]): Mark {
  const isServer = compileGlobs(servers);
  const isTool = tools === undefined ? () => true : compileGlobs(tools);
  const addresses = [receivers].flat().filter((name) => name !== REQUEST);
  return {
    isOf: ({ id, server }) => isServer(server) && isTool(id),
    isField: fields === undefined ? undefined : compileGlobs(fields),
    isReader: compileGlobs(readers),
    isReceiver: compileGlobs(addresses),
    allowsRequested: addresses.length < [receivers].flat().length,
  };
}

/** A list of addresses in one text, and an address with credentials, are nobody. */
function reaches({ isReceiver }: Mark, receiver: string, own: OwnPlaces): boolean {
  if (own(receiver) !== undefined) return true;
  const address = singleAddress(receiver);
  return address !== undefined && isReceiver(address);
}
