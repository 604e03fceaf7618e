import * as z from 'zod';
import { setting } from '../setting.ts';

const names = z.array(z.string().min(1));
const place = z.string().min(1).optional();

/** The packages that programs may import. */
export const packagesSchema = z.strictObject({
  python: setting(names.default([]), {
    description: '[packages](packages.md) that Python programs may import: `pandas`, `pandas==3.0.2`',
  }),
  typescript: setting(names.default([]), {
    description: 'packages of npm that TypeScript programs may import: `lodash`, `lodash@4`',
  }),
  presets: setting(names.default([]), { description: 'sets of packages: `data`, `office`, `web`' }),
  index: setting(place, {
    description: 'address of the index from which pip loads packages',
    env: 'TOOLWRIGHT_PACKAGES_INDEX',
    defaultText: 'that of pip',
  }),
  registry: setting(place, {
    description: 'address of the registry from which npm loads packages',
    env: 'TOOLWRIGHT_PACKAGES_REGISTRY',
    defaultText: 'that of npm',
  }),
  mirror: setting(place, {
    description: 'folder with wheels and npm archives, in place of addresses',
    env: 'TOOLWRIGHT_PACKAGES_MIRROR',
    defaultText: 'none',
  }),
  folder: setting(place, {
    description: 'folder of the built packages',
    env: 'TOOLWRIGHT_PACKAGES_DIR',
    defaultText: '`packages` of the data folder; for root `/var/cache/toolwright/packages`',
  }),
});
