// The public sets of recorded trajectories, and the commit of each. Nothing of theirs is in this repository.
import { join } from 'node:path';
import { readLiveMcp } from './sets/livemcp.mjs';
import { readTau } from './sets/tau.mjs';

/** `read` takes the folder of a checkout, and returns its `catalog` of tools and its `trajectories`. */
export const SETS = [
  {
    title: 'LiveMCPBench',
    folder: 'LiveMCPBench',
    url: 'https://github.com/icip-cas/LiveMCPBench',
    commit: 'a928e57d1ee7a25579b9a7036030faffff72d15b',
    read: readLiveMcp,
  },
  {
    title: 'tau-bench',
    folder: 'tau-bench',
    url: 'https://github.com/sierra-research/tau-bench',
    commit: '59a200c6d575d595120f1cb70fea53cef0632f6b',
    read: readTau,
  },
];

/** Returns the commands that make a checkout. */
export const cloneCommand = ({ url, commit, folder: name }, folder) =>
  `git clone ${url} ${join(folder, name)} && git -C ${join(folder, name)} checkout ${commit}`;
