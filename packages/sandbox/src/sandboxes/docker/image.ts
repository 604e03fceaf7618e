import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from './engine.ts';

const PACKAGE = new URL('../../../', import.meta.url);
const DOCKERFILE = fileURLToPath(new URL('deploy/guest.Dockerfile', PACKAGE));
const GUEST_FILES = fileURLToPath(new URL('dist/guest', PACKAGE));

/** Returns the image of this version: the guest files of another version may use another protocol. */
export function defaultImage(): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8'));
  return `toolwright-guest:${version}`;
}

/** Returns the image's name for the engine. Podman needs `localhost/` for images that it built under a short name. */
export function imageName(image: string, { command }: Engine): string {
  const [registry = '', ...path] = image.split('/');
  const isFull = path.length > 0 && /[.:]|^localhost$/.test(registry);
  return command === 'podman' && !isFull ? `localhost/${image}` : image;
}

/** Returns the command that builds the image from this package, for the current folder. */
export function buildCommand(image: string, command: Engine['command']): string {
  return `${command} build -f ${shellPath(DOCKERFILE)} -t ${image} ${shellPath(GUEST_FILES)}`;
}

function shellPath(path: string): string {
  const near = relative(process.cwd(), path);
  const shown = near.startsWith('..') ? path : near;
  return /^[\w./@:\\-]+$/.test(shown) ? shown : JSON.stringify(shown);
}
