import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    maxConcurrency: 8,
    globalSetup: 'test/scratch.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/structure.test.ts', 'test/readme.test.ts'],
        },
      },
      { extends: true, test: { name: 'structure', include: ['test/structure.test.ts', 'test/readme.test.ts'] } },
    ],
  },
});
