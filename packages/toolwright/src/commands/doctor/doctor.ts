import { access, constants, mkdir } from 'node:fs/promises';
import type { ServerSummary } from '@toolwright/core';
import { createToolwright, loadConfig, stderrLogger, type Toolwright, type ToolwrightConfig } from '@toolwright/core';
import { EXIT, type Output } from '@toolwright/core/command';
import { checkDataFolder, readServerEntries } from '@toolwright/core/config';
import { messageOf } from '@toolwright/core/internal';
import { LANGUAGE_NAMES, type LanguageName, openSandboxes } from '@toolwright/sandbox';
import { findCompiler, SANDBOXES, type SandboxChoice, type SandboxSettings } from '@toolwright/sandbox/internal';
import { plainSecrets, secretFix } from '../project/plain-secrets.ts';
import type { UntrustedFilesError } from '../project/prepare.ts';
import { redactedFor } from '../redacted.ts';
import { serverProblem } from '../server-problem.ts';
import { readText } from '../servers/files.ts';
import { asLine } from '../terminal.ts';
import { clusterFindings } from './cluster.ts';
import type { Finding } from './finding.ts';
import { networkFindings } from './network.ts';

const WAIT_MS = 30_000;
/** Memory of a sandbox that runs nothing. */
const MEMORY_BYTES = 128 * 1024 * 1024;

/**
 * Checks the sandboxes, the configuration and the servers, and prints a fix for each problem. `untrusted`: the configuration is not
 * read, and no server starts.
 */
export async function doctor(
  args: { readonly config?: string; readonly untrusted?: UntrustedFilesError; readonly json: boolean },
  output: Output,
): Promise<number> {
  const findings = await examine(args, output);
  const isWell = findings.every(({ ok, optional }) => ok || optional);
  if (args.json) output.out(JSON.stringify({ ok: isWell, findings }));
  for (const { subject, ok, optional, warning, text, fix } of args.json ? [] : findings) {
    const mark = warning ? 'warning' : ok ? 'ok     ' : optional ? 'absent ' : 'problem';
    output.out(`${mark}  ${subject}: ${text}${fix ? `\n         fix: ${fix}` : ''}`);
  }
  return isWell ? EXIT.completed : EXIT.usage;
}

async function examine(
  { config: path, untrusted, json }: Parameters<typeof doctor>[0],
  output: Output,
): Promise<Finding[]> {
  const findings: Finding[] = [{ subject: 'node', ok: true, text: process.version }];
  let config: ToolwrightConfig | undefined;
  let problem: unknown = untrusted;
  try {
    if (untrusted === undefined) config = await loadConfig({ path });
  } catch (error) {
    problem = error;
  }
  const settings = { docker: config?.docker, kubernetes: config?.kubernetes };
  for (const choice of SANDBOXES) findings.push(...(await examineSandbox(choice, settings)));
  findings.push(examineCompiler(), ...(await networkFindings()));
  if (!config) {
    findings.push(...(await withoutConfiguration(path, untrusted, problem)));
    return findings;
  }
  const off = config.disabledServers.length > 0 ? `, ${config.disabledServers.length} disabled` : '';
  const count = config.servers.size + config.invalidServers.size;
  const servers = count === 1 ? '1 server' : `${count} servers`;
  findings.push({ subject: 'configuration', ok: true, text: `${config.file} (${servers}${off})` });
  findings.push(...(await plainSecretFindings(config.file)), ...(await examinePackages(config)));
  const folder = await examineFolder(config.dataDir);
  findings.push(folder, ...(await clusterFindings(config)));
  // Nothing can start on a folder that hangs or cannot be written to.
  if (!folder.ok) return findings;
  try {
    await using toolwright = await createToolwright({
      config: config.file,
      logger: stderrLogger(process.env.TOOLWRIGHT_LOG ?? 'silent'),
    });
    for (const language of LANGUAGE_NAMES) findings.push(await sandboxInUse(toolwright.sandbox, language));
    findings.push(...(await stateProblems(toolwright)));
    const servers = await toolwright.servers({ profile: '*', load: true, waitMs: WAIT_MS });
    const found = [
      ...servers.flatMap(findingsOf),
      ...(await loginFindings(toolwright)),
      ...(await quarantinedTools(toolwright)),
    ];
    findings.push(...(await redactedFor(found, toolwright, output, json)));
  } catch (error) {
    findings.push({ subject: 'start', ok: false, text: messageOf(error) });
  }
  return findings;
}

/** Returns the sandboxes in use, and the state of a configuration that is missing, invalid or not accepted. */
async function withoutConfiguration(
  path: string | undefined,
  untrusted: UntrustedFilesError | undefined,
  problem: unknown,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  await using sandboxes = openSandboxes({
    sandbox: process.env.TOOLWRIGHT_SANDBOX || 'auto',
    memoryBytes: MEMORY_BYTES,
  });
  const sandbox = async (language: LanguageName = 'typescript') => {
    const { sandbox: chosen, ...why } = await sandboxes.for(language === 'python' ? 'python' : 'javascript');
    return { name: chosen.name, isolation: chosen.isolation, ...why };
  };
  for (const language of LANGUAGE_NAMES) findings.push(await sandboxInUse(sandbox, language));
  const subject = 'configuration';
  if (untrusted) return [...findings, { subject, ok: false, text: untrusted.found, fix: untrusted.fix }];
  // The example of the error is a fix of its own.
  const [text = ''] = messageOf(problem).split(' A minimal toolwright.json:');
  const isMissing = path === undefined && !process.env.TOOLWRIGHT_CONFIG && text.startsWith('No configuration');
  const fix = 'run: toolwright init, or toolwright servers add NAME -- COMMAND';
  return [
    ...findings,
    { subject, ok: false, optional: isMissing || undefined, text, fix: isMissing ? fix : undefined },
  ];
}

/** Returns a warning for each secret that the file has in plain text. */
async function plainSecretFindings(file: string): Promise<Finding[]> {
  const entries = [...readServerEntries(file, await readText(file))];
  return entries.flatMap(([name, entry]) =>
    plainSecrets(entry).map((place) => ({
      subject: `server ${asLine(name)}`,
      ok: true,
      warning: true,
      text: `${asLine(place)} is a secret in plain text`,
      fix: secretFix(name),
    })),
  );
}

/** Compares the packages with their lock and their hashes. Nothing without packages. */
async function examinePackages(config: ToolwrightConfig): Promise<Finding[]> {
  const { python, typescript, presets } = config.packages;
  if (python.length + typescript.length + presets.length === 0) return [];
  const { examine } = await import('../packages/packages.ts');
  const fix = 'run: toolwright packages sync';
  return (await examine(config)).map(({ problem, ...found }) => ({
    ...found,
    ok: problem === undefined,
    ...(problem === undefined ? {} : { text: problem, fix }),
  }));
}

/** Returns one finding when all languages have the same result, else one for each language. */
async function examineSandbox(
  { name, languages, probe }: SandboxChoice,
  settings: SandboxSettings,
): Promise<Finding[]> {
  const findings = await Promise.all(
    languages.map(async (guest): Promise<Finding> => {
      const { available, reason, fix } = await probe(guest, settings);
      const subject = `sandbox ${name} (${guest})`;
      return { subject, ok: available, optional: true, text: reason, fix: fix || undefined };
    }),
  );
  const [first] = findings;
  const isOne = first !== undefined && findings.every(({ ok, text }) => ok === first.ok && text === first.text);
  return isOne ? [{ ...first, subject: `sandbox ${name} (${languages.join(', ')})` }] : findings;
}

function examineCompiler(): Finding {
  const subject = 'type check';
  try {
    return { subject, ok: true, optional: true, text: `compiler ${findCompiler()}` };
  } catch (error) {
    const [text = '', command] = messageOf(error).split('. Run: ');
    return { subject, ok: false, optional: true, text, fix: `run: ${command}` };
  }
}

async function sandboxInUse(sandbox: Toolwright['sandbox'], language: LanguageName): Promise<Finding> {
  const subject = `sandbox for ${language}`;
  try {
    const { name, reason, warning } = await sandbox(language);
    if (warning !== undefined) return { subject, ok: true, warning: true, text: `${name}, ${reason}. ${warning}` };
    return { subject, ok: true, text: `${name}, ${reason}` };
  } catch (error) {
    return { subject, ok: false, text: messageOf(error) };
  }
}

async function examineFolder(folder: string): Promise<Finding> {
  try {
    await checkDataFolder(folder);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    return { subject: 'data folder', ok: true, text: folder };
  } catch (error) {
    return { subject: 'data folder', ok: false, text: messageOf(error), fix: 'set dataDir or TOOLWRIGHT_DATA_DIR' };
  }
}

/** Reads the stored state, as the first program would. Nothing if it is well. */
async function stateProblems(toolwright: Toolwright): Promise<Finding[]> {
  const { problems } = await toolwright.health({ without: ['sandbox', 'dataFolder'] });
  // A store that cannot be read is a problem of the key too.
  const texts = new Set(problems.map(({ error }) => error.message));
  return [...texts].map((text) => ({ subject: 'stored state', ok: false, text }));
}

function findingsOf(summary: ServerSummary): Finding[] {
  const { name, toolCount, status, omittedTools = [] } = summary;
  const subject = `server ${name}`;
  if (status.state !== 'ready') return [{ subject, ok: false, text: serverProblem(summary, WAIT_MS) }];
  const protocol = status.protocol ? `, MCP ${status.protocol}` : '';
  const omitted = omittedTools.map(
    (tool): Finding => ({
      subject: `tool ${name}__${tool.name}`,
      ok: false,
      optional: true,
      text: `left out: ${tool.problem}`,
      fix: 'report it to the author of the server',
    }),
  );
  return [{ subject, ok: true, text: `${toolCount} tools${protocol}` }, ...omitted];
}

/** Returns where the key of tokens is, and the logins that have expired. Nothing without logins. */
async function loginFindings({ logins }: Toolwright): Promise<Finding[]> {
  const known = (await logins.list()).filter(({ state }) => state !== 'none');
  if (known.length === 0) return [];
  const place = await logins.keyPlace();
  const text = `${known.length} to servers, sealed with a key in the ${place}`;
  const expired = known.filter(({ state }) => state === 'expired');
  return [
    { subject: 'logins', ok: true, text },
    ...expired.map(({ server }) => ({
      subject: `login ${server}`,
      ok: true,
      warning: true as const,
      text: 'it has expired',
      fix: `run: toolwright servers login ${server}`,
    })),
  ];
}

async function quarantinedTools({ pins }: Toolwright): Promise<Finding[]> {
  const effect = pins.mode === 'block' ? 'hidden' : 'in quarantine, but not hidden';
  const held = (await pins.list()).filter(({ state }) => state === 'quarantined');
  return held.map(({ id, reasons }) => ({
    subject: `tool ${asLine(id)}`,
    ok: true,
    warning: true,
    text: `${effect}: ${reasons.map(({ code, text }) => asLine(`${code}: ${text}`)).join('; ')}`,
    fix: `look at it with "toolwright tools pins", then accept it with --approve ${asLine(id)}, or remove it`,
  }));
}
