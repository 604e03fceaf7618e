const MEGABYTE = 1_000_000;

/** Large values, about a megabyte of JSON each, that need much work after the search. Each call returns a new value. */
export const LARGE = {
  'rows of new values': () =>
    Array.from({ length: 10_000 }, (_, id) => ({ id, email: `user${id}@example${id % 97}.com`, note: 'all is plain' })),
  'new values in one text': () =>
    Array.from({ length: 30_000 }, (_, id) => `user${id}@example${id % 97}.com, plain`).join('\n'),
  'one text without a break': () => 'x'.repeat(4 * MEGABYTE),
  'one word of digits and letters': () => 'deadbeef01'.repeat(MEGABYTE / 10),
  'one text of brackets': () => '['.repeat(MEGABYTE),
  'one text of placeholders': () => '[EMAIL_1] '.repeat(MEGABYTE / 10),
  'many small leaves': () => Array.from({ length: 200_000 }, (_, id) => id % 10),
  'many keys': () => Object.fromEntries(Array.from({ length: 50_000 }, (_, id) => [`key ${id}`, id])),
  'keys of new values': () =>
    Object.fromEntries(Array.from({ length: 10_000 }, (_, id) => [`user${id}@example.com`, id])),
  'a deep nest': () => {
    let nest = { email: 'ada@example.org' };
    for (let depth = 0; depth < 400; depth++) nest = { a: nest, b: Array.from({ length: 100 }, () => 'plain') };
    return nest;
  },
  'one value many times': () =>
    Array.from({ length: 20_000 }, () => ({ from: 'ada@example.org', to: 'Ada%40example.org', hex: '6164614065' })),
};
