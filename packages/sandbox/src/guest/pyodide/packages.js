// The packages of the configuration without compiled code, as files of the interpreter. `python/packages.py` makes them importable.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path/posix';

const FOLDER = '/toolwright/packages';
const PURE_FILES = 'toolwright-pure.json';

/**
 * @param {any} FS
 * @param {string} layer folder with the packages
 */
export function placePackages(FS, layer) {
  for (const file of JSON.parse(readFileSync(`${layer}/${PURE_FILES}`, 'utf8'))) {
    const path = `${FOLDER}/${file}`;
    FS.mkdirTree(dirname(path));
    FS.writeFile(path, readFileSync(`${layer}/${file}`), { canOwn: true });
  }
}
