import type { LeafFlow } from './flow.ts';

/** A set of values that may be the same object. */
export type Cell = number;

/** The source of everything that is no answer of a tool and no text of the program. */
export const UNKNOWN = '?';
/** The source of a value that was computed. */
const COMPUTED = '=';

const MAX_EDGES = 20_000;
const MAX_PASSES = 100;

/** The analysis gives up: everything may reach everything. */
export class TooComplex extends Error {}

interface Edge {
  readonly from: Cell;
  readonly to: Cell;
  /** `choice`: `from` only decides which value `to` gets. `member`: `to` is in `from`. */
  readonly kind: 'data' | 'choice' | 'member';
}

/**
 * Cells of values and the flow between them. Values that may be the same object share a cell, so that a change of one is a change of the
 * other. A computed text or number is a new cell with edges from its parts.
 */
export class FlowGraph {
  readonly #parents: Cell[] = [];
  readonly #sources: Set<string>[] = [];
  readonly #fields: (Map<string, Cell> | 'one')[] = [];
  readonly #edges: Edge[] = [];

  cell(...sources: readonly string[]): Cell {
    this.#parents.push(this.#parents.length);
    this.#sources.push(new Set(sources));
    this.#fields.push(new Map());
    return this.#parents.length - 1;
  }

  /** Returns a new cell of a value that was computed from others. */
  computed(...parts: readonly Cell[]): Cell {
    const cell = this.cell(COMPUTED);
    for (const part of parts) this.edge(part, cell);
    return cell;
  }

  edge(from: Cell, to: Cell, kind: Edge['kind'] = 'data'): void {
    if (this.#edges.push({ from, to, kind }) > MAX_EDGES) throw new TooComplex();
  }

  /** Notes that a cell may be anything. */
  taint(cell: Cell): void {
    this.#sources[this.#find(cell)]?.add(UNKNOWN).add(COMPUTED);
  }

  /** Notes that two values may be the same. Returns their cell. */
  unite(one: Cell, other: Cell): Cell {
    const [to, from] = [this.#find(one), this.#find(other)];
    if (to === from) return to;
    this.#parents[from] = to;
    const sources = this.#sources[to] as Set<string>;
    for (const source of this.#sources[from] ?? []) sources.add(source);
    const [kept, added] = [this.#fields[to], this.#fields[from]];
    if (kept === 'one' || added === 'one') {
      this.#fields[to] = 'one';
      for (const fields of [kept, added]) {
        if (fields instanceof Map) for (const field of fields.values()) this.unite(to, field);
      }
      return this.#find(to);
    }
    for (const [name, field] of added ?? []) {
      const known = kept?.get(name);
      if (known === undefined) this.#link(to, name, field);
      else this.unite(known, field);
    }
    return this.#find(to);
  }

  /** Makes one cell of a value and everything inside of it. */
  collapse(cell: Cell): Cell {
    const one = this.#find(cell);
    const fields = this.#fields[one];
    if (fields instanceof Map) {
      this.#fields[one] = 'one';
      for (const field of fields.values()) {
        this.collapse(field);
        this.unite(one, field);
      }
    }
    return this.#find(one);
  }

  /** Returns whether a value and everything inside of it have one cell. */
  isCollapsed(cell: Cell): boolean {
    return this.#fields[this.#find(cell)] === 'one';
  }

  /** Returns the cell of a member. Its sources include those of the whole. */
  field(cell: Cell, name: string): Cell {
    const one = this.#find(cell);
    const fields = this.#fields[one];
    if (!(fields instanceof Map)) return one;
    const known = fields.get(name);
    if (known !== undefined) return known;
    const added = this.cell();
    this.#link(one, name, added);
    return added;
  }

  #link(cell: Cell, name: string, field: Cell): void {
    (this.#fields[cell] as Map<string, Cell>).set(name, field);
    this.edge(cell, field, 'member');
  }

  /** Returns the names of the known members. */
  names(cell: Cell): readonly string[] {
    const fields = this.#fields[this.#find(cell)];
    return fields instanceof Map ? [...fields.keys()] : [];
  }

  /** Lets all sources flow along all edges. Call it once, after the last change. */
  solve(): void {
    for (let pass = 0, hasChanged = true; hasChanged; pass++) {
      if (pass > MAX_PASSES) throw new TooComplex();
      hasChanged = false;
      for (const { from, to, kind } of this.#edges) {
        const target = this.#sources[this.#find(to)] as Set<string>;
        const before = target.size;
        const sources = kind === 'member' ? (this.#sources[this.#find(from)] ?? []) : this.#all(from);
        for (const source of sources) if (kind !== 'choice' || source !== COMPUTED) target.add(source);
        hasChanged ||= target.size > before;
      }
    }
  }

  /** Returns everything that reaches a value or a part of it. */
  flowOf(cell: Cell): LeafFlow {
    const all = this.#all(cell);
    return { from: [...all].filter((source) => source !== COMPUTED), isComputed: all.has(COMPUTED) };
  }

  #all(cell: Cell, into: Set<string> = new Set(), seen: Set<Cell> = new Set()): ReadonlySet<string> {
    const one = this.#find(cell);
    if (seen.has(one)) return into;
    seen.add(one);
    for (const source of this.#sources[one] ?? []) into.add(source);
    const fields = this.#fields[one];
    if (fields instanceof Map) for (const field of fields.values()) this.#all(field, into, seen);
    return into;
  }

  #find(cell: Cell): Cell {
    let root = cell;
    for (let next = this.#parents[root] as Cell; next !== root; next = this.#parents[root] as Cell) root = next;
    for (let at = cell; at !== root; ) {
      const next = this.#parents[at] as Cell;
      this.#parents[at] = root;
      at = next;
    }
    return root;
  }
}
