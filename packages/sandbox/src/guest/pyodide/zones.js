// The time zones of the host, as files of the interpreter. A zone is read when a program first opens it.
import { readdirSync, readFileSync, statSync } from 'node:fs';

const ZONES = '/usr/share/zoneinfo';
const NAME = /^[A-Za-z0-9][\w+.-]*$/;
const ENOENT = 44;

/**
 * Places the zones in the interpreter's files. Without zones on the host, the folder is empty.
 * @param {any} FS
 */
export function placeZones(FS) {
  FS.mkdirTree(ZONES);
  attach(FS, FS.lookupPath(ZONES).node, `${ZONES}/`);
}

/**
 * Lets a folder find its entries on the host.
 * @param {any} FS
 * @param {any} folder
 * @param {string} place on the host, with a slash at its end
 */
function attach(FS, folder, place) {
  const { lookup, readdir } = folder.node_ops;
  /** @type {Set<string> | undefined} */
  let names;
  const known = () => {
    names ??= new Set(namesIn(place));
    return names;
  };
  folder.node_ops = {
    ...folder.node_ops,
    /** @type {(parent: any, name: string) => any} */
    lookup(parent, name) {
      if (!known().delete(name)) return lookup(parent, name);
      return create(FS, parent, { name, place: `${place}${name}` });
    },
    /** @type {(node: any) => string[]} */
    readdir: (node) => [...new Set([...readdir(node), ...known()])],
  };
}

/**
 * @param {any} FS
 * @param {any} parent
 * @param {{ name: string, place: string }} entry
 */
function create(FS, parent, { name, place }) {
  const path = `${FS.getPath(parent)}/${name}`;
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory()) {
    FS.mkdir(path);
    const { node } = FS.lookupPath(path);
    attach(FS, node, `${place}/`);
    return node;
  }
  const content = read(place);
  if (content === undefined) throw new FS.ErrnoError(ENOENT);
  FS.writeFile(path, content);
  return FS.lookupPath(path).node;
}

/** @param {string} place */
function namesIn(place) {
  try {
    return readdirSync(place).filter((name) => NAME.test(name));
  } catch {
    return [];
  }
}

/** @param {string} place */
function read(place) {
  try {
    return readFileSync(place);
  } catch {
    return undefined;
  }
}
