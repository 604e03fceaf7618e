// Starts `node.js` without Node's own loader of ES modules, which takes as long as all the rest of its start:
// `node --experimental-vm-modules node-loader.cjs <read descriptor> <write descriptor>`.
const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { SourceTextModule, SyntheticModule } = require('node:vm');

/** @type {Map<string, import('node:vm').Module>} */
const modules = new Map();

/**
 * @param {string} specifier
 * @param {{ identifier: string }} referrer
 */
function find(specifier, referrer) {
  const path = specifier.startsWith('.') ? join(dirname(referrer.identifier), specifier) : specifier;
  const known = modules.get(path) ?? (path.startsWith('node:') ? builtin(path) : load(path));
  modules.set(path, known);
  return known;
}

/** @param {string} path */
function load(path) {
  return new SourceTextModule(readFileSync(path, 'utf8'), {
    identifier: path,
    initializeImportMeta(meta) {
      meta.url = pathToFileURL(path).href;
    },
  });
}

/** @param {string} name */
function builtin(name) {
  const exported = require(name);
  // What a getter gives is loaded late on purpose.
  const plain = Object.entries(Object.getOwnPropertyDescriptors(exported)).filter(([, { get }]) => get === undefined);
  const module = new SyntheticModule(['default', ...plain.map(([key]) => key)], () => {
    module.setExport('default', exported);
    for (const [key, { value }] of plain) module.setExport(key, value);
  });
  return module;
}

const entry = load(join(__dirname, 'node.js'));
entry.link(find).then(() => entry.evaluate());
