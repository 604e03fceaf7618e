import { describe, expect, it } from 'vitest';
import { allRequests, PRESETS, readRequest } from './requests.ts';

describe('readRequest', () => {
  it.each([
    ['python', 'pandas', 'pandas', ''],
    ['python', 'Python_Docx == 1.1.2', 'python-docx', '== 1.1.2'],
    ['python', 'pandas[excel]>=3,<4', 'pandas', '>=3,<4'],
    ['typescript', 'lodash@4', 'lodash', '4'],
    ['typescript', '@scope/name@^1.2', '@scope/name', '^1.2'],
  ] as const)('reads a name and its versions: %s %s', (language, text, name, range) => {
    expect(readRequest(language, text)).toEqual({ name, range });
  });

  it.each([
    ...[
      '--index-url=http://x',
      '-r file',
      './evil',
      'git+https://x/y',
      'a @ https://x/y.whl',
      'a; b',
      'a b',
      '',
      '../a',
    ].map((text) => ['python', text] as const),
    ...['file:../x', 'https://x/y.tgz', 'a@file:../b', 'a@npm:b@1', 'github:a/b', '-g', '--foo', '../x', 'a/b', ''].map(
      (text) => ['typescript', text] as const,
    ),
  ])('refuses everything that is no name with versions: %s %s', (language, text) => {
    expect(() => readRequest(language, text)).toThrow(/is not the name of a package/);
  });
});

describe('allRequests', () => {
  it('adds the packages of presets, unless the list has them in a version of its own', () => {
    expect(allRequests('python', ['pandas==2.2.3'], ['data'])).toEqual([
      'pandas==2.2.3',
      ...(PRESETS.data?.python ?? []).slice(1),
    ]);
  });

  it('refuses two versions of one package, and unknown presets', () => {
    expect(() => allRequests('python', ['Pandas==2', 'pandas==3'], [])).toThrow(
      'pandas is requested twice, as "Pandas==2" and "pandas==3"',
    );
    expect(() => allRequests('python', [], ['science'])).toThrow(
      'There is no preset "science". The presets are: data, office, web.',
    );
  });
});
