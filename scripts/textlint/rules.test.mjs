import { expect, it } from 'vitest';
import { createProseLinter } from './linter.mjs';

const lint = await createProseLinter();
const findings = async (text) => (await lint('page.md', text)).map(({ ruleId }) => ruleId);
const words = (count) => `${Array.from({ length: count }, () => 'word').join(' ')}.`;

it.each([
  'The server is told to stop.',
  'Toolwright tells\nyou the reason.',
  'The result is given back.',
  'It takes 3 ms beside plain Node.',
  'The guard sees every text.',
  'A sweep deletes old sessions.',
  'It protects personal data.',
  'Every front door has its own errors.',
  'The ledger has all calls.',
  'There is no room.',
  'The upstream does not answer.',
  'Connect all upstreams first.',
  'Files are replaced by whole writes.',
  '| name | meaning |\n|---|---|\n| `x` | it **hears** of progress |',
])('terms: reports %j', async (text) => expect(await findings(text)).toEqual(['terms']));

it.each([
  'The option `told` and the header `upstream`.',
  'An upstream error has the words of the upstream server.',
  'It reports the heartbeat of a roommate, and besides that a lawful houseboat.',
  '```\nThe ledger is told.\n```',
  'See [journals](docs/ledger.md).',
])('terms: accepts %j', async (text) => expect(await findings(text)).toEqual([]));

it.each([
  'What was sent is not sent again.',
  'The journal contains what was sent.',
  'It is what the server returned.',
  'It deletes the files of who has no session.',
  'Who asks twice waits.',
  'Whoever has the key may call it.',
  'It returns whatever the tool returned.',
  'Whose tool it is decides.',
  'Which server answers first wins.',
  'It keeps that which it sent.',
  'It stores all that programs return.',
  'Does it fail, it is not saved.',
  'You may use 600 requests per minute, and have.',
  '## What is promised',
  '- the server, and what it returned',
  '| name | meaning |\n|---|---|\n| `x` | what is sent |',
])('headless-relatives: reports %j', async (text) => expect(await findings(text)).toEqual(['headless-relatives']));

it.each([
  'A sent call is not sent again.',
  'The user who owns the session may delete it, and anyone who has the key may read it.',
  'What happens then? Who may call it?',
  'The message shows what to install and what happened.',
  'The log shows what changed.',
  'The task "What is 6 * 7?" has one step.',
  'A server whose tools change is listed again.',
  'All tools that match are returned; the one that matches best comes first.',
  'It works, which costs 3 ms.',
  'Do not mount the socket.',
  '`what` is an argument, and so is `who`.',
  '| what | who |\n|---|---|\n| name | user |',
])('headless-relatives: accepts %j', async (text) => expect(await findings(text)).toEqual([]));

it.each([
  words(26),
  `Short. ${words(26)} Short.`,
  `- ${words(26)}`,
  `| a | b |\n|---|---|\n| c | ${words(26)} |`,
  `A [link](a.md) and ${words(24)}`,
])('sentence-words: reports %j', async (text) => expect(await findings(text)).toEqual(['sentence-words']));

it.each([
  words(25),
  `${words(25)} ${words(25)}`,
  `\`a code span of many words\` ${words(24)}`,
  `- ${words(20)}\n- ${words(20)}`,
  `| a ${words(26)} | b |\n|---|---|\n| c | ${words(25)} |`,
  `| ${words(20)} | ${words(20)} |\n|---|---|\n| ${words(20)} | ${words(20)} |`,
  `\`\`\`\n${words(40)}\n\`\`\``,
  `See [docs](docs/a.md). ${words(25)}`,
  'It takes 2 ms. In '.repeat(9),
  'There are 10. At '.repeat(9),
])('sentence-words: accepts %j', async (text) => expect(await findings(text)).toEqual([]));

it('reports the line of the sentence', async () => {
  const found = await lint('page.md', `# Title\n\nA short sentence.\nAnother one, told\nby us. ${words(26)}`);
  expect(found.map(({ line, ruleId }) => [line, ruleId])).toEqual([
    [4, 'terms'],
    [5, 'sentence-words'],
  ]);
});
