import { pages, testExamples } from '../fixtures/pages.ts';

testExamples(pages.filter((page) => page !== 'README.md'));
