// `node:os`: the same answers on every machine.
export const EOL = '\n';
export const devNull = '/dev/null';
export const platform = () => 'linux';
export const type = () => 'Linux';
export const arch = () => 'x64';
export const endianness = () => 'LE';
export const homedir = () => '/workspace';
export const tmpdir = () => '/workspace';
export const hostname = () => 'sandbox';
export default { EOL, devNull, platform, type, arch, endianness, homedir, tmpdir, hostname };
