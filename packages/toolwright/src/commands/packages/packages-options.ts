import { type Command, defineCommand, UsageError } from '@toolwright/core/command';
import { CONFIG, JSON_OUTPUT } from '../shared-options.ts';

export const packagesCommand: Command = defineCommand({
  name: 'packages',
  summary: 'Add, remove and list the libraries that programs may import',
  usage: ['[list] [--json]', 'add NAME... [--language NAME]', 'remove NAME...', 'sync [--upgrade]'],
  options: {
    language: {
      type: 'string',
      value: 'NAME',
      text: 'add, remove: python (PyPI) or typescript (npm)',
      defaultText: 'that of the presets that have the name',
    },
    upgrade: { type: 'boolean', text: 'sync: resolve all packages again, to their newest versions' },
    config: CONFIG,
    json: JSON_OUTPUT,
  },
  notes: [
    'A name may have a version: pandas==3.0.2, lodash@4. It may be a preset: data, office, web.',
    '"add" and "remove" change the configuration and toolwright.lock next to it, and build the packages.',
    '"sync" builds the packages of the lock. It resolves them first if the configuration has others.',
    'pip and npm load wheels and archives. No code of a package runs outside of a sandbox.',
  ],
  examples: [
    ['toolwright packages add data', 'add pandas, numpy, matplotlib and more'],
    ['toolwright packages add seaborn --language python', 'add one package of PyPI'],
    ['toolwright packages sync', 'build the packages after a clone or an update'],
  ],
  async run({ config, language, upgrade, json }, words, output) {
    const [action = 'list', ...names] = words;
    if (upgrade && action !== 'sync') throw new UsageError('--upgrade belongs to "packages sync".');
    if (language !== undefined && action !== 'add' && action !== 'remove') {
      throw new UsageError('--language belongs to "packages add" and "packages remove".');
    }
    const { languageOf } = await import('../shared-options.ts');
    const { addPackages, listPackages, removePackages, syncPackages } = await import('./packages.ts');
    const context = { config, language: languageOf(language), names, json, output };
    switch (action) {
      case 'list':
        return listPackages(context);
      case 'add':
        return addPackages(context);
      case 'remove':
        return removePackages(context);
      case 'sync':
        return syncPackages(context, upgrade);
      default:
        throw new UsageError(`There is no command "packages ${action}". Use one of: list, add, remove, sync.`);
    }
  },
});
