// The peers with their versions. They are installed into a cache folder when a benchmark needs them.
import { installOnDemand } from '../../scripts/on-demand.mjs';

export const PEERS = [
  { title: 'direct calls', adapter: 'direct', hasNoSandbox: true },
  { title: 'bare relay', adapter: 'relay', hasNoSandbox: true },
  { title: 'Toolwright (default)', adapter: 'toolwright' },
  { title: 'Toolwright (quickjs)', adapter: 'toolwright', settings: { sandbox: 'quickjs' } },
  {
    title: 'UTCP code mode 1.2.12',
    adapter: 'utcp',
    specs: ['@utcp/code-mode@1.2.12', '@utcp/mcp@1.1.3'],
    // The version of isolated-vm that it asks for needs a later Node.
    install: {
      overrides: { 'isolated-vm': '5.0.4' },
      allowScripts: { 'isolated-vm': true },
      flags: ['--ignore-scripts=false'],
    },
  },
  {
    title: 'mcp-use 1.34.6',
    adapter: 'mcp-use',
    // It imports the others without naming them.
    specs: ['mcp-use@1.34.6', 'langchain@1.5.14', '@langchain/core@1.4.0', 'react@19.3.1', 'react-dom@19.3.1'],
    install: { flags: ['--ignore-scripts', '--legacy-peer-deps'] },
  },
  {
    title: 'Cloudflare codemode 0.5.6',
    adapter: 'codemode',
    specs: ['@cloudflare/codemode@0.5.6', 'miniflare@4.20260730.0', 'zod@4.6.7'],
    needsLaterNode: true,
  },
  { title: 'executor 1.5.9', adapter: 'executor', specs: ['executor@1.5.9'] },
];

/** Installs a peer. Returns its folder, undefined for one of this repository, and the Node that runs it. */
export function installPeer({ adapter, specs, install, needsLaterNode = false }) {
  const installed = specs && installOnDemand(`peers-${adapter}`, specs, install);
  return { folder: installed?.folder, node: needsLaterNode ? installed.node : process.execPath };
}
