import { text } from 'node:stream/consumers';
import { readRegularText } from '@toolwright/connectors/read-file';
import { EXIT, type Output, UsageError } from '@toolwright/core/command';
import { messageOf } from '@toolwright/core/errors';
import { cachedVersions, defaultCacheFolder, openCatalog } from './catalogs/folder.ts';
import { syncCatalog } from './catalogs/sync.ts';
import { syncTemplates } from './templates/sync.ts';
import type { Finding, Level, Validation } from './validation/finding.ts';
import { validateWorkflow } from './validation/validate.ts';

/** Maximum bytes of a workflow file. */
const MAX_WORKFLOW_BYTES = 32 * 1024 * 1024;

export interface N8nArguments {
  /** `sync [VERSION]`, `validate FILE` or `versions`. */
  readonly words: readonly string[];
  readonly json: boolean;
  /** For `sync`: packages, folders, or the URL of an instance. */
  readonly from?: readonly string[];
  /** For `sync`: number of templates to fetch instead of a catalog. */
  readonly templates?: number;
  /** For `validate`: `publish` or `lint`. */
  readonly level?: string;
  /** For `validate`: a version, a path, or `example`. */
  readonly catalog?: string;
  /** For `validate`: ids of published workflows. */
  readonly published?: readonly string[];
}

/** Runs `toolwright n8n` and returns the exit code. Raises `UsageError` for wrong usage. */
export async function runN8nCommand(args: N8nArguments, output: Output): Promise<number> {
  const [action, subject, more] = args.words;
  if (more !== undefined) throw new UsageError(`"n8n ${action}" accepts one argument; remove "${more}".`);
  switch (action) {
    case 'sync':
      return sync(args, subject, output);
    case 'validate':
      return validate(args, subject, output);
    case 'versions':
      return versions(args, output);
    default:
      throw new UsageError('Use "n8n sync [VERSION]", "n8n validate FILE" or "n8n versions".');
  }
}

async function sync(args: N8nArguments, version: string | undefined, output: Output): Promise<number> {
  const { from, json, templates } = args;
  if (templates !== undefined) {
    const fetched = await syncTemplates(defaultCacheFolder(), { limit: templates, url: from?.[0] });
    output.out(json ? JSON.stringify(fetched) : `${fetched.templates} templates in ${fetched.file}`);
    return EXIT.completed;
  }
  const { TOOLWRIGHT_N8N_EMAIL: email, TOOLWRIGHT_N8N_PASSWORD: password } = process.env;
  const synced = await syncCatalog(defaultCacheFolder(), {
    version,
    from,
    user: email && password ? { email, password } : undefined,
  });
  if (json) output.out(JSON.stringify(synced));
  else if (synced.incomplete)
    output.err(
      `The registry lacks node packages of n8n ${synced.incomplete.join(', ')}. Used the newest complete version.`,
    );
  if (!json) output.out(`n8n ${synced.version}: ${synced.nodeTypes} node types in ${synced.file}`);
  return EXIT.completed;
}

function versions({ json }: N8nArguments, output: Output): number {
  const known = cachedVersions(defaultCacheFolder());
  if (json) output.out(JSON.stringify({ versions: known }));
  else output.out(known.length > 0 ? known.join('\n') : 'Found no catalogs. Run: toolwright n8n sync');
  return EXIT.completed;
}

async function validate(args: N8nArguments, file: string | undefined, output: Output): Promise<number> {
  if (file === undefined) throw new UsageError('"n8n validate" requires a file, or - for standard input.');
  const level = levelOf(args.level);
  const source = file === '-' ? await text(process.stdin) : await readText(file);
  const catalog = openCatalog(defaultCacheFolder(), args.catalog);
  const result = await validateWorkflow(source, catalog, { level, publishedWorkflows: args.published });
  if (args.json) output.out(JSON.stringify(result));
  else print(result, catalog.version, output);
  return result.valid ? EXIT.completed : EXIT.guestFailed;
}

function levelOf(name: string | undefined): Level | undefined {
  if (name === undefined || name === 'publish' || name === 'lint') return name;
  throw new UsageError(`There is no level "${name}". Use --level publish or --level lint.`);
}

function readText(file: string): Promise<string> {
  return readRegularText(file, MAX_WORKFLOW_BYTES).catch((error: unknown) => {
    throw new UsageError(
      `Cannot read the workflow ${file}: ${messageOf(error)}. Correct the path, or use - for a pipe.`,
    );
  });
}

function print({ publishable, errors, warnings }: Validation, version: string, output: Output): void {
  const line = (kind: string, { code, node, path, message, fix }: Finding): void => {
    const place = [node === undefined ? [] : [`"${node}"`], path ?? []].flat().join(' ');
    output.out(`${kind} ${code} ${place}\n  ${message}\n  fix: ${fix}`);
  };
  for (const finding of errors) line('error  ', finding);
  for (const finding of warnings) line('warning', finding);
  const verdict = publishable ? 'would publish it' : 'would reject it';
  output.out(`n8n ${version} ${verdict}: ${errors.length} errors, ${warnings.length} warnings.`);
}
