// Bundles parts of large libraries into dist/, so that users do not install the unused parts.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * The modules whose libraries become part of the package: paths without their endings. The libraries are devDependencies.
 * `telemetry/tokenizer`: one encoding of gpt-tokenizer, 2 MB of 30.
 * `stores/libsql`: the JavaScript of libsql; its native parts stay packages of their own.
 */
const BUNDLES = [
  { path: 'telemetry/tokenizer', source: '.ts', target: '.js', format: 'esm' },
  { path: 'stores/libsql', source: '.cjs', target: '.cjs', format: 'cjs' },
];

/**
 * Replaces compiled modules by bundles of them and their libraries, each headed by the licences of those libraries.
 * @param {string} root folder of a package with `src/` and `dist/`
 * @returns {Promise<void>}
 */
export async function bundleLibraries(root) {
  for (const { path, source, target, format } of BUNDLES) {
    const options = {
      absWorkingDir: root,
      entryPoints: [join('src', `${path}${source}`)],
      outfile: join('dist', `${path}${target}`),
      bundle: true,
      minify: true,
      charset: 'utf8',
      platform: 'node',
      target: 'node20',
      format,
    };
    const { metafile } = await build({ ...options, metafile: true, write: false });
    await build({ ...options, banner: { js: licences(root, Object.keys(metafile.inputs)) } });
    rmSync(join(root, `${options.outfile}.map`), { force: true });
  }
}

/** Returns a comment with the licence of each package in a bundle. */
function licences(root, inputs) {
  const folders = inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  const texts = [...new Set(folders.filter((folder) => folder !== undefined))].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return `Contains ${name} ${version}\n\n${licenceOf(join(root, folder)).replaceAll('*/', '* /')}`;
  });
  return `/*!\n${texts.join('\n\n')}\n*/`;
}

function licenceOf(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file) return readFileSync(join(folder, file), 'utf8').trim();
  return `Licence: ${JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).license}`;
}
