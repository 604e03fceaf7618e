import { describe, expect, it } from 'vitest';
import { validateSkillText } from './validation.ts';

const skill = (fields: string) => `---\n${fields}\n---\nRead it.\n`;

describe('the SKILL.md of others', () => {
  it.each([
    ['description: Use this when: the user asks', 'Use this when: the user asks'],
    ['description: Ends with a colon:', 'Ends with a colon:'],
    ['description: "Quoted" and more: words', '"Quoted" and more: words'],
    ["description: it's simple: really", "it's simple: really"],
    ['description: @mentions and `code`', '@mentions and `code`'],
    ['description: [Beta] reads tables', '[Beta] reads tables'],
    ['description: First: a line\n  and a second: one', 'First: a line and a second: one'],
    ['description: >\n  Folded: text\nlicense: see: LICENSE', 'Folded: text'],
    ['description: 42', '42'],
    ['description: "quoted: by its author"\nlicense: MIT: or other', 'quoted: by its author'],
  ])('is read: %j', async (fields, description) => {
    const { problems, frontMatter } = await validateSkillText('mine', skill(`name: mine\n${fields}`));
    expect([problems, frontMatter?.description?.trim()]).toEqual([[], description]);
  });

  it('keeps numbers and truth values of metadata as they are written', async () => {
    const metadata = 'metadata:\n  version: 1.10\n  id: 1917043659912705296\n\tdraft: true\n  more: { bins: [a] }';
    const { frontMatter, warnings } = await validateSkillText('mine', skill(`name: mine\ndescription: x\n${metadata}`));
    expect(frontMatter?.metadata).toEqual({
      version: '1.10',
      id: '1917043659912705296',
      draft: 'true',
      more: '{"bins":["a"]}',
    });
    expect(warnings).toHaveLength(2);
  });

  it('has the name of its folder, and needs a description', async () => {
    const { frontMatter } = await validateSkillText('mine', skill('name: PDF Tables\ndescription: x'));
    expect(frontMatter?.name).toBe('mine');
    for (const fields of ['name: mine', 'name: mine\ndescription:', 'name: mine\nname: mine\ndescription: x'])
      expect((await validateSkillText('mine', skill(fields))).problems).toHaveLength(1);
  });

  it('is refused where a model wrote it', async () => {
    const deviations = ['description: a: b', 'description: x\nmetadata:\n  version: 1', 'description: 5'];
    for (const fields of deviations) {
      const { problems } = await validateSkillText('mine', skill(`name: mine\n${fields}`), { isStrict: true });
      expect(problems).toHaveLength(1);
    }
    expect((await validateSkillText('mine', skill('name: mine\ndescription: x'), { isStrict: true })).problems).toEqual(
      [],
    );
  });
});
