import { inlineConnector } from '@toolwright/connectors';
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../telemetry/tokenizer.ts';
import { createCatalog } from '../../catalog.ts';
import { NAMES_TOKENS } from './answer.ts';

const properties = { id: { type: 'string' } } as const;
const tool = (description: string) => ({
  description,
  inputSchema: { type: 'object', properties, required: ['id'] } as const,
  run: () => 1,
});
const many = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`find_customer_${index}`, tool('Finds a customer.')]),
  );

function catalogOf(servers: Readonly<Record<string, Readonly<Record<string, ReturnType<typeof tool>>>>>) {
  return createCatalog({
    connectors: Object.entries(servers).map(([name, tools]) => inlineConnector(name, { tools })),
  });
}

describe('the answer of a search', () => {
  it('has three signatures, then up to twelve names by server', async () => {
    const { text, hits } = await catalogOf({ crm: many(10), shop: many(10) }).search(['find customer']);
    const [signatures = '', names = ''] = text.split('\nMore by name:\n');
    expect(signatures.match(/^servers\.\w+\.\w+\(/gm)).toHaveLength(3);
    const listed = names.split('\n').flatMap((line) => line.replace(/^\w+: /, '').split(' '));
    expect(listed.length).toBeGreaterThan(8);
    expect(listed.length).toBeLessThanOrEqual(12);
    expect(countTokens(`More by name:\n${names}`)).toBeLessThanOrEqual(NAMES_TOKENS);
    expect(hits).toHaveLength(5);
  });

  it('has the names that fit, of tools with long names', async () => {
    const long = Object.fromEntries(
      Object.entries(many(15)).map(([name, own]) => [`${name}_of_the_registry_of_all_customers_by_number`, own]),
    );
    const { text } = await catalogOf({ crm: long }).search(['find customer']);
    const names = text.slice(text.indexOf('More by name:'));
    expect(names).toContain('crm: find_customer_');
    expect(countTokens(names)).toBeLessThanOrEqual(NAMES_TOKENS);
  });

  it('answers several queries apart, with the signature of a tool once', async () => {
    const servers = {
      crm: { add_note: tool('Adds a note to a customer.'), get_customer: tool('Returns a customer.') },
    };
    const { text } = await catalogOf(servers).search(['add a note', 'get customer', 'fly to the moon']);
    expect(text.split('\n').filter((line) => line.endsWith('":'))).toEqual([
      '"add a note":',
      '"get customer":',
      '"fly to the moon":',
    ]);
    expect(text.match(/servers\.crm\.add_note\(/g)).toHaveLength(1);
    expect(text).toContain('crm__add_note, as above');
    expect(text.slice(text.indexOf('"fly'))).toBe('"fly to the moon":\nNo tools found.');
  });

  it('names weak matches as such, and no good ones', async () => {
    const catalog = catalogOf({ crm: { get_customer: tool('Returns a customer.') }, mail: { send: tool('Sends.') } });
    const weak = 'Weak matches only';
    expect((await catalog.search(['translate the poem of a customer into Latin verse'])).text).toContain(weak);
    expect((await catalog.search(['get the customer'])).text).not.toContain(weak);
    // One of two words, and only a related one.
    const everything = catalogOf({
      everything: {
        'get-annotated-message': tool('Demonstrates how annotations can be used to provide metadata about content.'),
        echo: tool('Echoes back the input string.'),
        'get-sum': tool('Returns the sum of two numbers.'),
      },
    });
    expect((await everything.search(['send an email'])).text).toContain(weak);
    expect((await everything.search(['add two numbers'])).text).not.toContain(weak);
  });

  it('has the signature of each hit with a limit', async () => {
    const { text } = await catalogOf({ crm: many(10) }).search(['find customer'], { limit: 5 });
    expect(text.match(/^servers\.\w+\.\w+\(/gm)).toHaveLength(5);
    expect(text).not.toContain('More by name');
  });
});
