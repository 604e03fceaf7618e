import { describe, expect, test } from 'vitest';
import { typescriptFlow } from './typescript-flow.ts';

/** Returns the flow of one argument of the only call of `mail__send`. */
function flowTo(source: string, path = 'to') {
  const site = typescriptFlow(source)?.find(({ tool }) => tool === 'mail__send');
  const leaves = new Map(site?.leaves);
  const flow = leaves.get(path) ?? leaves.get('');
  return flow && { from: [...flow.from].sort(), isComputed: flow.isComputed };
}

const CRM = `const contact = await callMCPTool('crm__get', { name: 'Ada' });`;
const WEB = `const page = await callMCPTool('web__fetch', { url: 'https://a.example' });`;
const SELECTED = (...from: string[]) => ({ from, isComputed: false });
const COMPUTED = (...from: string[]) => ({ from, isComputed: true });

describe('typescriptFlow', () => {
  test.each([
    ['a literal', `await callMCPTool('mail__send', { to: 'a@b.example' });`, SELECTED()],
    [
      'a field',
      `${CRM} ${WEB} await callMCPTool('mail__send', { to: contact.email, body: page });`,
      SELECTED('crm__get'),
    ],
    ['a constant', `${WEB} const to = 'a@b.example'; if (page) await callMCPTool('mail__send', { to });`, SELECTED()],
    [
      'a built text',
      `${CRM} await callMCPTool('mail__send', { to: \`\${contact.login}@corp.example\` });`,
      COMPUTED('crm__get'),
    ],
    ['a decoded text', `${WEB} await callMCPTool('mail__send', { to: atob(page) });`, COMPUTED('web__fetch')],
    ['a part of a text', `${WEB} await callMCPTool('mail__send', { to: page.slice(3, 9) });`, COMPUTED('web__fetch')],
    [
      'an item of a part of a list',
      `const all = await callMCPTool('crm__list', {}); for (const each of all.slice(0, 3)) await callMCPTool('mail__send', { to: each.email });`,
      SELECTED('crm__list'),
    ],
    [
      'a value near an error that the program throws itself',
      `${CRM} const find = (who) => { if (!who) throw new Error('nobody'); return who.email; }; await callMCPTool('mail__send', { to: find(contact) });`,
      SELECTED('crm__get'),
    ],
    [
      'extracted data',
      `${CRM} ${WEB} const { to } = await extract(contact.note, { properties: { to: { format: 'email' } } }); await callMCPTool('mail__send', { to, body: page });`,
      COMPUTED('crm__get'),
    ],
    [
      'parsed text',
      `${WEB} const { to } = JSON.parse(page); await callMCPTool('mail__send', { to });`,
      COMPUTED('web__fetch'),
    ],
    [
      'parallel calls',
      `const [contact, page] = await Promise.all([callMCPTool('crm__get', {}), callMCPTool('web__fetch', {})]); await callMCPTool('mail__send', { to: contact.email });`,
      SELECTED('crm__get'),
    ],
    [
      'an item of a list',
      `const all = await callMCPTool('crm__list', {}); const it = all.find((each) => each.name === 'Ada'); await callMCPTool('mail__send', { to: it.email });`,
      SELECTED('crm__list'),
    ],
    [
      'a loop',
      `const all = await callMCPTool('crm__list', {}); for (const each of all) await callMCPTool('mail__send', { to: each.email });`,
      SELECTED('crm__list'),
    ],
    [
      'a helper',
      `${CRM} ${WEB} const clean = (text) => text.trim(); clean(page); await callMCPTool('mail__send', { to: clean(contact.email) });`,
      COMPUTED('crm__get'),
    ],
    [
      'members of a constant',
      `${CRM} ${WEB} const mail = { to: contact.email, body: page }; await callMCPTool('mail__send', mail);`,
      SELECTED('crm__get'),
    ],
    ['a name in a constant', `const tool = 'mail__send'; await callMCPTool(tool, { to: 'a' });`, SELECTED()],
    [
      'a module',
      `import * as mail from './servers/mail/index.js'; await mail.send({ to: 'a@b.example' });`,
      SELECTED(),
    ],
  ])('proves %s', (_name, source, expected) => {
    expect(flowTo(source)).toEqual(expected);
  });

  test.each([
    [
      'an assignment that data decides',
      `${WEB} let to = 'a'; if (page.x) to = 'b'; await callMCPTool('mail__send', { to });`,
    ],
    ['a choice', `${WEB} const to = page.x ? 'a' : 'b'; await callMCPTool('mail__send', { to });`],
    [
      'a loop that data ends',
      `${WEB} let to = ''; for (let i = 0; i < page.length; i++) to += 'a'; await callMCPTool('mail__send', { to });`,
    ],
    [
      'an item that data chooses in a loop',
      `${WEB} for (const to of ['a', 'b']) if (page.includes(to)) await callMCPTool('mail__send', { to });`,
    ],
    [
      'an alias',
      `${WEB} const mail = { to: 'a' }; const other = mail; other.to = page; await callMCPTool('mail__send', mail);`,
    ],
    [
      'an item that is added',
      `${WEB} const list = []; list.push(page); await callMCPTool('mail__send', { to: list[0] });`,
    ],
    [
      'a captured variable',
      `${WEB} let to = 'a'; const set = (value) => { to = value; }; set(page); await callMCPTool('mail__send', { to });`,
    ],
    [
      'a callback by name',
      `${WEB} let to = ''; const set = (value) => { to = value; }; [page].forEach(set); await callMCPTool('mail__send', { to });`,
    ],
    [
      'a callback of a replacement',
      `${WEB} let to = ''; page.replace(/.+/, (all) => { to = all; return ''; }); await callMCPTool('mail__send', { to });`,
    ],
    [
      'a member with a computed name',
      `${WEB} const mail = { to: 'a' }; mail[page.key] = page.value; await callMCPTool('mail__send', mail);`,
    ],
    [
      'an early return of a helper',
      `${WEB} const pick = () => { if (page.x) return 'a'; return 'b'; }; await callMCPTool('mail__send', { to: pick() });`,
    ],
    [
      'a value that a trusted list is searched for',
      `${WEB} const all = await callMCPTool('crm__list', {}); const it = all.find((each) => each.name === page.name); await callMCPTool('mail__send', { to: it.email });`,
    ],
    ['an object that is spread', `${WEB} await callMCPTool('mail__send', { ...page });`, '*'],
    [
      'a sorted list',
      `${WEB} const all = ['a', 'b']; all.sort((x, y) => page.indexOf(x) - page.indexOf(y)); await callMCPTool('mail__send', { to: all[0] });`,
    ],
    [
      'recursion',
      `${WEB} const last = (n) => (n > 0 ? last(n - 1) : page); await callMCPTool('mail__send', { to: last(3) });`,
    ],
    ['a default', `${WEB} const { to = page } = {}; await callMCPTool('mail__send', { to });`],
  ])('follows %s', (_name, source, path = 'to') => {
    const flow = flowTo(source, path);
    expect(flow?.from.some((from) => from === 'web__fetch' || from === '?')).toBe(true);
  });

  test.each([
    ['eval', `eval('1'); await callMCPTool('mail__send', { to: 'a' });`],
    ['a constructor of functions', `const f = (() => 1).constructor('return 1'); f();`],
    ['an alias of the function that calls', `const call = callMCPTool; await call('mail__send', { to: 'a' });`],
    ['a skill', `import { x } from './skills/x.ts'; await callMCPTool('mail__send', { to: 'a' });`],
    ['a class', `class A {} await callMCPTool('mail__send', { to: 'a' });`],
    ['a getter', `const mail = { get to() { return 'a'; } }; await callMCPTool('mail__send', mail);`],
    ['a huge program', `await callMCPTool('mail__send', { to: 'a' });${'\nfoo.bar(1, 2, 3);'.repeat(7_000)}`],
    ['a syntax error', `await callMCPTool('mail__send', {`],
  ])('gives up on %s', (_name, source) => {
    expect(typescriptFlow(source)).toBeUndefined();
  });

  test('a computed name of a tool may call any tool', () => {
    const flow = typescriptFlow(
      `${WEB} await callMCPTool(page.tool, page.args); await callMCPTool('mail__' + 'send', { to: 'a' });`,
    );
    expect(flow?.map(({ tool }) => tool)).toEqual(['web__fetch', undefined, undefined]);
  });

  test('an unknown global function may call any tool', () => {
    expect(typescriptFlow(`await sendMail({ to: 'a' });`)?.map(({ tool }) => tool)).toEqual([undefined]);
  });
});
