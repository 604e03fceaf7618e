// Writes the tokens of the tokenizer as one file, which opens in milliseconds.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Writes `telemetry/vocabulary.bin` of a package, and the module that reads it.
 * @param {string} root folder of the package
 * @param {string[]} folders
 */
export function writeVocabulary(root, folders = ['dist/telemetry', 'build/telemetry'].map((name) => join(root, name))) {
  const require = createRequire(join(root, 'src/telemetry/vocabulary.cjs'));
  const licence = readFileSync(
    require.resolve('gpt-tokenizer/package.json').replace('package.json', 'LICENSE'),
    'utf8',
  );
  const reader = `/*!\nContains tokens of gpt-tokenizer\n\n${licence}*/\nmodule.exports = require('node:fs').readFileSync(\`\${__dirname}/vocabulary.bin\`);\n`;
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'vocabulary.bin'), require('./vocabulary.cjs'));
    writeFileSync(join(folder, 'vocabulary.cjs'), reader);
  }
}
