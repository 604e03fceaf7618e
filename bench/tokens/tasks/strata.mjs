// All tasks by stratum: three of the first set in each, and four or five of the second set.
import { chain } from './chain.mjs';
import { fanOut } from './fan-out.mjs';
import { large } from './large.mjs';
import { look } from './look.mjs';
import { chain as chain2 } from './second/chain.mjs';
import { fanOut as fanOut2 } from './second/fan-out.mjs';
import { large as large2 } from './second/large.mjs';
import { look as look2 } from './second/look.mjs';
import { tiny as tiny2 } from './second/tiny.mjs';
import { transfer as transfer2 } from './second/transfer.mjs';
import { write as write2 } from './second/write.mjs';
import { tiny } from './tiny.mjs';
import { transfer } from './transfer.mjs';
import { write } from './write.mjs';

export const STRATA = {
  tiny: [...tiny, ...tiny2],
  chain: [...chain, ...chain2],
  'fan-out': [...fanOut, ...fanOut2],
  'large result': [...large, ...large2],
  transfer: [...transfer, ...transfer2],
  'needs a look first': [...look, ...look2],
  'write-heavy': [...write, ...write2],
};
