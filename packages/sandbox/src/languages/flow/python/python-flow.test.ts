import { describe, expect, test } from 'vitest';
import { pythonFlow } from './python-flow.ts';

const CRM = `contact = await call_mcp_tool('crm__get', {'name': 'Ada'})\n`;
const WEB = `page = await call_mcp_tool('web__fetch', {'url': 'https://a.example'})\n`;
const SELECTED = (...from: string[]) => ({ from, isComputed: false });
const COMPUTED = (...from: string[]) => ({ from, isComputed: true });

/** Returns the flow of one argument of the only call of `mail__send`. */
function flowTo(source: string, path = 'to') {
  const flows = pythonFlow(source);
  if (flows?.some(({ tool }) => tool === undefined)) return undefined;
  const leaves = new Map(flows?.find(({ tool }) => tool === 'mail__send')?.leaves);
  const flow = leaves.get(path) ?? leaves.get('');
  return flow && { from: [...flow.from].sort(), isComputed: flow.isComputed };
}

const send = (to: string) => `await call_mcp_tool('mail__send', {'to': ${to}})`;

describe('pythonFlow', () => {
  test.each([
    ['a literal', send(`'a@b.example'`), SELECTED()],
    ['a field', `await call_mcp_tool('mail__send', {'to': contact['email'], 'body': page})`, SELECTED('crm__get')],
    ['a constant', `to = 'a@b.example'\nif page:\n    ${send('to')}`, SELECTED()],
    ['a built text', send(`f"{contact['login']}@corp.example"`), COMPUTED('crm__get')],
    ['a joined text', send(`contact['login'] + '@corp.example'`), COMPUTED('crm__get')],
    ['a decoded text', `import base64\n${send('base64.b64decode(page).decode()')}`, COMPUTED('web__fetch')],
    ['extracted data', send(`(await extract(contact['note'], {'type': 'string'}))['to']`), COMPUTED('crm__get')],
    ['parsed text', send(`json.loads(page)['to']`), COMPUTED('web__fetch')],
    [
      'parallel calls',
      `import asyncio\none, two = await asyncio.gather(call_mcp_tool('crm__get', {}), call_mcp_tool('web__fetch', {}))\n${send(`one['email']`)}`,
      SELECTED('crm__get'),
    ],
    [
      'an item of a list',
      `it = next((each for each in contact if each['name'] == 'Ada'), None)\n${send(`it['email']`)}`,
      SELECTED('crm__get'),
    ],
    ['a loop', `for each in contact:\n    ${send(`each['email']`)}`, SELECTED('crm__get')],
    [
      'a helper',
      `def clean(text):\n    return text.strip()\nclean(page)\n${send(`clean(contact['email'])`)}`,
      COMPUTED('crm__get'),
    ],
    [
      'an async helper',
      `async def address(who):\n    found = await call_mcp_tool('crm__get', {'name': who})\n    return found['email']\n${send(`await address('Ada')`)}`,
      SELECTED('crm__get'),
    ],
    [
      'members of a constant',
      `mail = {'to': contact['email'], 'body': page}\nawait call_mcp_tool('mail__send', mail)`,
      SELECTED('crm__get'),
    ],
    ['a name in a constant', `tool = 'mail__send'\nawait call_mcp_tool(tool, {'to': 'a'})`, SELECTED()],
    ['an import', `from servers.mail import send\nawait send(to='a', body=page)`, SELECTED()],
    [
      'a module',
      `from servers import mail\nawait mail.send({'to': contact['email'], 'body': page})`,
      SELECTED('crm__get'),
    ],
    ['the servers', `await servers.mail.send(to=contact.get('email'), body=page)`, SELECTED('crm__get')],
    ['a comprehension', send(`[each['email'] for each in contact]`), SELECTED('crm__get')],
    ['a sorted list', send(`sorted(contact, key=lambda each: each['age'])[0]['email']`), SELECTED('crm__get')],
    [
      'an own main function',
      `import asyncio\nasync def main():\n    ${send(`contact['email']`)}\nasyncio.run(main())`,
      SELECTED('crm__get'),
    ],
    ['pairs', `for index, each in enumerate(contact):\n    ${send(`each['email']`)}`, SELECTED('crm__get')],
    [
      'an accumulated text',
      `text = ''\nfor each in contact:\n    text += each['email']\n${send('text')}`,
      COMPUTED('crm__get'),
    ],
    ['a number', send(`1`), SELECTED()],
    ['a list of literals', `for to in ['a', 'b']:\n    ${send('to')}`, SELECTED()],
    ['an unpacked pair', `name, address = contact['name'], contact['email']\n${send('address')}`, SELECTED('crm__get')],
    ['pairs of names and values', `who, text = contact['email'], page['x']\n${send('who')}`, SELECTED('crm__get')],
    ['values of a dict', `for each in contact.values():\n    ${send('each')}`, SELECTED('crm__get')],
    ['items of a dict', `for key, each in contact.items():\n    ${send('each')}`, SELECTED('crm__get')],
    [
      'a filtered list',
      `for each in [one for one in contact if one['ok']]:\n    ${send(`each['email']`)}`,
      SELECTED('crm__get'),
    ],
    ['a part of a list', `for each in contact[:5]:\n    ${send(`each['email']`)}`, SELECTED('crm__get')],
    ['a part of a text', send(`contact['email'][:5]`), COMPUTED('crm__get')],
    ['the newest one', send(`max(contact, key=lambda one: one['date'])['email']`), SELECTED('crm__get')],
    [
      'a list that is sorted by a key',
      `contact.sort(key=lambda one: one['date'])\n${send(`contact[0]['email']`)}`,
      SELECTED('crm__get'),
    ],
    ['a choice of literals by trusted data', send(`'a' if contact['ok'] else 'b'`), SELECTED('crm__get')],
    ['a default', send(`contact.get('email') or 'a'`), SELECTED('crm__get')],
    [
      'a list that grows',
      `all = []\nfor each in contact:\n    all.append(each['email'])\n${send('all')}`,
      SELECTED('crm__get'),
    ],
    ['a joined list', send(`', '.join(each['email'] for each in contact)`), COMPUTED('crm__get')],
    [
      'a dict of keys and values',
      `by = {each['name']: each['email'] for each in contact}\n${send(`by['Ada']`)}`,
      SELECTED('crm__get'),
    ],
    ['a lambda', `pick = lambda one: one['email']\n${send('pick(contact)')}`, SELECTED('crm__get')],
    [
      'a helper with a default',
      `def pick(one, key='x'):\n    return one['email']\n${send('pick(contact)')}`,
      SELECTED('crm__get'),
    ],
    [
      'two calls of a helper',
      `def pick(one):\n    return one['x']\nother = pick(page)\n${send('pick(contact)')}`,
      SELECTED('crm__get'),
    ],
    [
      'a helper with named arguments',
      `def pick(*, one, other):\n    return one['email']\n${send('pick(one=contact, other=page)')}`,
      SELECTED('crm__get'),
    ],
    [
      'a nested helper',
      `def one(v):\n    def two(w):\n        return w['email']\n    return two(v)\n${send('one(contact)')}`,
      SELECTED('crm__get'),
    ],
    [
      'a generator',
      `def each_of(all):\n    for each in all:\n        yield each\nfor each in each_of(contact):\n    ${send(`each['email']`)}`,
      SELECTED('crm__get'),
    ],
    [
      'a mail that other data is the text of',
      `await servers.mail.send(to=contact['email'], subject=f"Re: {page['title']}", body=json.dumps(page))`,
      SELECTED('crm__get'),
    ],
    [
      'tasks in parallel',
      `import asyncio\nasync def address(one):\n    found = await call_mcp_tool('crm__get', {'id': one['id']})\n    return found['email']\nall = await asyncio.gather(*[address(one) for one in contact])\n${send('all[0]')}`,
      SELECTED('crm__get'),
    ],
    ['a mapped list', send(`list(map(lambda one: one['email'], contact))`), SELECTED('crm__get')],
    [
      'zipped lists',
      `for one, text in zip(contact, page):\n    await call_mcp_tool('mail__send', {'to': 'a', 'body': text})`,
      SELECTED(),
    ],
    ['a date', `from datetime import date\n${send('date.today().isoformat()')}`, COMPUTED()],
    ['an assigned name in a condition', `if (one := contact.get('email')):\n    ${send('one')}`, SELECTED('crm__get')],
    [
      'a class of trusted data',
      `from dataclasses import dataclass\n@dataclass\nclass Person:\n    email: str\nperson = Person(contact['email'])\n${send('person.email')}`,
      COMPUTED('crm__get'),
    ],
    [
      'a copied dict',
      `mail = {**{'to': contact['email']}, 'body': page}\nawait call_mcp_tool('mail__send', mail)`,
      SELECTED('crm__get'),
    ],
    ['a matched value', `match contact:\n    case {'email': to}:\n        ${send('to')}`, SELECTED('crm__get')],
    [
      'a counted loop',
      `total = 0\nfor each in contact:\n    total += each['n']\n${send('str(total)')}`,
      COMPUTED('crm__get'),
    ],
    ['a while loop', `at = 0\nwhile at < 3:\n    at += 1\n${send('str(at)')}`, COMPUTED()],
  ])('proves %s', (_name, source, expected) => {
    expect(flowTo(CRM + WEB + source)).toEqual(expected);
  });

  test.each([
    ['eval', `eval('1')`],
    ['an attribute by its name', `getattr(page, 'x')`],
    ['an alias of the function that calls', `call = call_mcp_tool`],
    ['a tool as a value', `from servers.mail import send\nsends = [send]`],
    ['a skill', `from skills.x import y`],
    ['an unknown module', `import os`],
    ['a function of another module', `import uuid\nuuid.os.remove('x')`],
    ['a changed module', `json.loads = str`],
    ['a method that an operator calls', `class A:\n    def __add__(self, other):\n        return other`],
    ['a base class that is unknown', `class A(B):\n    pass`],
    ['a metaclass', `class A(metaclass=M):\n    pass`],
    ['a decorator of a class', `@f\nclass A:\n    pass`],
    ['a setter', `class A:\n    @x.setter\n    def x(self, v):\n        pass`],
    ['a format that reads attributes', `'{0.__globals__}'.format(print)`],
    ['a huge program', `x.y(1, 2, 3)\n`.repeat(9_000)],
    ['a syntax error', `if`],
  ])('gives up on %s', (_name, source) => {
    expect(pythonFlow(`${source}\n${send(`'a'`)}`)).toBeUndefined();
  });

  test('a computed name of a tool may call any tool', () => {
    const flow = pythonFlow(
      `${WEB}await call_mcp_tool(page['tool'], page['args'])\nawait call_mcp_tool('mail__' + 'send', {'to': 'a'})`,
    );
    expect(flow?.map(({ tool }) => tool)).toEqual(['web__fetch', undefined, undefined]);
  });

  test('an unknown global function may call any tool', () => {
    expect(pythonFlow(`send_mail('a')`)?.map(({ tool }) => tool)).toEqual([undefined]);
  });

  test('a parameter has each name that its tool may have for it', () => {
    const [site] = pythonFlow(`await servers.mail.send(reply_to='a', from_='b')`) ?? [];
    expect(site?.leaves.map(([path]) => path)).toEqual(['reply_to', 'from_', 'replyTo', 'from']);
  });
});
