import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from './engine.ts';

const PACKAGE = new URL('../../../', import.meta.url);
const DOCKERFILE = fileURLToPath(new URL('deploy/guest.Dockerfile', PACKAGE));
const GUEST_FILES = fileURLToPath(new URL('dist/guest', PACKAGE));

/** The image of this version: guest files of another one may speak another protocol. */
export function defaultImage(): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8'));
  return `toolwright-guest:${version}`;
}

/** The image's name as the engine wants it: what Podman builds under a short name is local, but it would look elsewhere. */
export function imageName(image: string, { command }: Pick<Engine, 'command'>): string {
  const [registry = '', ...path] = image.split('/');
  const isFull = path.length > 0 && /[.:]|^localhost$/.test(registry);
  return command === 'podman' && !isFull ? `localhost/${image}` : image;
}

/** The command that builds the image from the files of this package, for the folder we are in. */
export function buildCommand(image: string, command: Engine['command']): string {
  return `${command} build -f ${shellPath(DOCKERFILE)} -t ${image} ${shellPath(GUEST_FILES)}`;
}

function shellPath(path: string): string {
  const near = relative(process.cwd(), path);
  const shown = near.startsWith('..') ? path : near;
  return /^[\w./@:\\-]+$/.test(shown) ? shown : JSON.stringify(shown);
}
