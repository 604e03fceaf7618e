import { acceptedAnnotations, type Tool } from '@toolwright/connectors';
import { compileGlobs, type GlobTest } from '../../../glob.ts';
import type { PolicyConfig, Trust } from '../schema.ts';

/** How far the answers of one tool are trusted. */
export interface ToolTrust {
  /** The label of the answer as a whole: the lowest that a part of it has. */
  readonly label: Trust;
  /** Returns the label of a field, by its path in the answer: `items[].owner`. */
  ofField(path: string): Trust;
}

/** Names of tools whose answers have words of strangers. */
const READS_STRANGERS =
  /\b(e?mails?|inbox|messages?|web|websites?|webpages?|pages?|urls?|crawl|scrape|browse|fetch|issues?|comments?|reviews?|tickets?|posts?|tweets?|feeds?|pulls?|invites?|attachments?)\b/i;

/**
 * Creates a function that returns the trust of a tool. Only marks of the configuration give trust: nothing that a server sends does, and a
 * tool in quarantine has none. A mark for a whole server leaves out its tools whose names say that they read words of strangers: name those.
 */
export function trustFrom(marks: PolicyConfig['trust'] = []): (tool: Tool) => ToolTrust {
  const compiled = marks.map(({ servers = '*', tools, fields, trust }) => ({
    isServer: compileGlobs(servers),
    isTool: tools === undefined ? undefined : compileGlobs(tools),
    isField: fields === undefined ? undefined : compileGlobs(fields),
    trust,
  }));
  return (tool) => {
    if (tool.isQuarantined) return PUBLIC;
    const isStrange = readsStrangers(tool);
    const own = compiled.filter(({ isServer, isTool, trust }) => {
      if (!isServer(tool.server)) return false;
      return isTool === undefined ? trust === 'public' || !isStrange : isTool(tool.id);
    });
    const whole = own.find(({ isField }) => isField === undefined)?.trust ?? 'public';
    const fields = own.flatMap(({ isField, trust }) => (isField ? [{ isField, trust }] : []));
    return fields.length === 0 ? { label: whole, ofField: () => whole } : withFields(whole, fields);
  };
}

const PUBLIC: ToolTrust = { label: 'public', ofField: () => 'public' };
const ORDER: readonly Trust[] = ['public', 'organisation', 'owner'];

function withFields(whole: Trust, fields: readonly { readonly isField: GlobTest; readonly trust: Trust }[]): ToolTrust {
  const lowest = ORDER.find((trust) => trust === whole || fields.some((field) => field.trust === trust));
  return {
    label: lowest ?? 'public',
    ofField: (path) => fields.find(({ isField }) => isField(path))?.trust ?? whole,
  };
}

function readsStrangers(tool: Tool): boolean {
  if (acceptedAnnotations(tool).openWorldHint === true) return true;
  const { name, title = '' } = tool.definition;
  return READS_STRANGERS.test(`${name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_\-.]+/g, ' ')} ${title}`);
}
