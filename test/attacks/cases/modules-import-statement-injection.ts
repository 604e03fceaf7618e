import type { Attack } from '../attack.ts';

const attack: Attack = {
  class: 'modules',
  program: `import { add } from './servers/tools/index.js' /* ; import 'x' */ // ; import 'y'
import * as all from "./servers/tools/index.js";
return typeof add + typeof all + typeof __toolwright_result;`,
  badSandbox: 'not-run',
};

export default attack;
