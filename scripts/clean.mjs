// npm run clean: removes everything that the build has made.
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const made = readdirSync(join(root, 'packages')).flatMap((name) =>
  ['dist', 'build', 'LICENSE'].map((entry) => join(root, 'packages', name, entry)),
);
for (const path of [...made, join(root, 'packages/server/dashboard'), join(root, 'node_modules/.cache/toolwright')])
  rmSync(path, { recursive: true, force: true });
