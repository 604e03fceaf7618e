// The module that a program gets for `import fs from 'node:fs/promises'` or 'fs'.
/** @type {any} */
const fs = /** @type {any} */ (globalThis).fs;

export default fs;
export const promises = fs.promises;
export const {
  readFile,
  writeFile,
  appendFile,
  readdir,
  stat,
  exists,
  access,
  mkdir,
  rm,
  unlink,
  rmdir,
  rename,
  copyFile,
} = fs;
