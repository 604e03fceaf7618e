// All tasks by stratum, three in each.
import { chain } from './chain.mjs';
import { fanOut } from './fan-out.mjs';
import { large } from './large.mjs';
import { look } from './look.mjs';
import { tiny } from './tiny.mjs';
import { transfer } from './transfer.mjs';
import { write } from './write.mjs';

export const STRATA = {
  tiny,
  chain,
  'fan-out': fanOut,
  'large result': large,
  transfer,
  'needs a look first': look,
  'write-heavy': write,
};
