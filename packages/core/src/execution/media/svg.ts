import { ToolwrightError } from '../../errors.ts';
import { requireSize } from './drawing.ts';

/** Characters in which the element `svg` must begin. */
const MAX_HEAD = 4_096;
const START = /^\uFEFF?\s*</;
const ROOT = /<svg[\s>]/;
/** Embedded pictures, and parts of the same drawing. */
const OWN = /^\s*(?:#|data:image\/(?:png|jpeg|gif|webp);base64,|$)/i;
const TAG = /<([A-Za-z][\w:.-]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>/g;
const ATTRIBUTE = /([A-Za-z_:][\w:.-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const URL_OF_STYLE = /url\(\s*['"]?([^'")]*)/gi;

/** Returns whether a text is an SVG drawing. */
export function isSvg(text: string): boolean {
  return START.test(text) && ROOT.test(text.slice(0, MAX_HEAD));
}

/**
 * Returns an SVG that loads nothing and runs nothing. Raises `INVALID_ARGUMENTS` with the part that would.
 */
export function requirePlainSvg(svg: string): string {
  requireSize('SVG', svg.length, 'Draw fewer points, or show a PNG.');
  const problem = problemOf(svg);
  if (problem === undefined) return svg;
  throw new ToolwrightError(
    'INVALID_ARGUMENTS',
    `The SVG has ${problem}. Remove it: a shown picture is self-contained.`,
  );
}

function problemOf(svg: string): string | undefined {
  if (/<!ENTITY|<!DOCTYPE[^>]*\[/i.test(svg)) return 'entities of its own';
  if (/@import/i.test(svg)) return 'an @import in its style';
  for (const [, target = ''] of svg.matchAll(URL_OF_STYLE)) {
    if (!OWN.test(target)) return `the external reference url(${target.slice(0, 80)})`;
  }
  for (const [, name = '', attributes = ''] of svg.matchAll(TAG)) {
    const local = name.replace(/^.*:/, '').toLowerCase();
    if (local === 'script' || local === 'foreignobject') return `the element <${name}>`;
    for (const [, attribute = '', double, single] of attributes.matchAll(ATTRIBUTE)) {
      const value = double ?? single ?? '';
      if (/^on/i.test(attribute)) return `the event handler ${attribute}`;
      // A link loads nothing; the picture is shown where nobody can follow it.
      const isReference = /^(?:(?:xlink:)?href|src)$/i.test(attribute) && local !== 'a';
      if (isReference && !OWN.test(value)) return `the external reference ${attribute}="${value.slice(0, 80)}"`;
    }
  }
  return undefined;
}
