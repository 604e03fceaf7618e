// Loads on demand: an import of a CommonJS library by name must be static, so that the bundler finds the name.
export { parse } from 'yaml';
