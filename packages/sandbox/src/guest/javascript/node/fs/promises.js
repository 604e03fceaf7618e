// `node:fs/promises`.
import { promises } from 'node:fs';

export default promises;
export const {
  access,
  appendFile,
  chmod,
  chown,
  constants,
  copyFile,
  cp,
  exists,
  link,
  lstat,
  lutimes,
  mkdir,
  mkdtemp,
  open,
  opendir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} = promises;
