// Publishes every package whose version is not published yet, with provenance, and tags the release. Needs a CI job with an
// identity token for the provenance. --dry-run packs the packages and publishes nothing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inOrder, manifestOf, pack, packageFolders, ROOT, run } from './packages.mjs';

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });

/** Returns whether this version of the package is in the registry. */
function isPublished({ name, version }) {
  const { status, stdout, stderr } = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' });
  if (status === 0) return stdout.trim() === version;
  if (/E404/.test(stderr)) return false;
  throw new Error(`npm could not check whether ${name} ${version} is published:\n${stderr}`);
}

const packages = inOrder(packageFolders().map((folder) => ({ folder, manifest: manifestOf(folder) })));
const versions = new Set(packages.map(({ manifest }) => manifest.version));
if (versions.size > 1)
  throw new Error(`The packages have different versions: ${[...versions].join(', ')}. Run: npm run version`);

const tarballs = mkdtempSync(join(tmpdir(), 'toolwright-release-'));
try {
  for (const { folder, manifest } of packages) {
    const title = `${manifest.name} ${manifest.version}`;
    const tarball = pack(folder, tarballs);
    const size = `${Math.ceil(statSync(tarball).size / 1024)} kB`;
    if (values['dry-run']) console.log(`would publish ${title} (${size})`);
    else if (isPublished(manifest)) console.log(`already published: ${title}`);
    else {
      run('npm', ['publish', tarball, '--provenance', '--access', 'public', '--ignore-scripts'], ROOT);
      console.log(`published ${title} (${size})`);
    }
  }
} finally {
  rmSync(tarballs, { recursive: true, force: true });
}
// The release workflow reads the new tags from this output.
if (!values['dry-run']) console.log(run('npx', ['--no-install', 'changeset', 'tag'], ROOT));
