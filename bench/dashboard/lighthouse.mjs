// Lighthouse on each screen. It is installed on demand, because it is large.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installOnDemand } from '../../scripts/on-demand.mjs';
import { executablePath } from './browser.mjs';

const VERSION = '12.8.2';
const TABS = ['catalog', 'pins', 'policy'].map((tab) => `servers?tab=${tab}`);
const SCREENS = ['executions', 'approvals', 'overview', 'servers', ...TABS, 'sessions', 'drafts', 'skills'];
const JSON_HEADERS = { 'content-type': 'application/json' };
const LIMIT_MS = 120_000;

/** Returns the lowest scores of all screens, on a phone and on a desktop, and the failed audits. */
export async function lighthouse({ url }) {
  const { folder } = installOnDemand('lighthouse', [`lighthouse@${VERSION}`]);
  const { executions } = await (await fetch(`${url}/executions?limit=1`)).json();
  const created = await fetch(`${url}/sessions`, { method: 'POST', headers: JSON_HEADERS, body: '{}' });
  const { sessionId } = await created.json();
  const lowest = { accessibility: 100, bestPractices: 100 };
  const failed = new Set();
  for (const screen of [...SCREENS, `executions/${executions[0].executionId}`, `sessions/${sessionId}`]) {
    for (const form of ['mobile', 'desktop']) {
      const { categories, audits } = report(folder, `${url}/ui/${screen}`, form);
      const score = (name) => Math.round(categories[name].score * 100);
      lowest.accessibility = Math.min(lowest.accessibility, score('accessibility'));
      lowest.bestPractices = Math.min(lowest.bestPractices, score('best-practices'));
      for (const { id, score, scoreDisplayMode } of Object.values(audits)) {
        if (score === 0 && scoreDisplayMode === 'binary') failed.add(`${screen.split('/')[0]}: ${id}`);
      }
    }
  }
  return { ...lowest, failed: [...failed] };
}

function report(folder, url, form) {
  const flags = ['--quiet', '--output=json', '--only-categories=accessibility,best-practices'];
  const args = [
    ...flags,
    '--chrome-flags=--headless=new --no-sandbox',
    ...(form === 'desktop' ? ['--preset=desktop'] : []),
  ];
  const env = { ...process.env, CHROME_PATH: executablePath };
  const options = { encoding: 'utf8', env, timeout: LIMIT_MS, maxBuffer: 1e9 };
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'node_modules/lighthouse/cli/index.js'), url, ...args],
    options,
  );
  if (!stdout.startsWith('{')) throw new Error(`Lighthouse failed for ${url}: ${stderr.slice(0, 500)}`);
  return JSON.parse(stdout);
}
