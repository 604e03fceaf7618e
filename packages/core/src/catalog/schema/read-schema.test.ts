import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../../../test/fixtures/processor-time.ts';
import { HOSTILE_DEFINITIONS } from '../../../../../test/hostile-tools.ts';
import { readSchema } from './read-schema.ts';

describe('readSchema', () => {
  it('reads schemas of older drafts and of careless generators', () => {
    const shape = readSchema({
      properties: {
        exclusive: { type: 'number', minimum: 0, exclusiveMinimum: true },
        tuple: { type: 'array', items: [{ type: 'string' }], additionalItems: false },
        marked: { type: 'STRING', required: true },
        nullable: { type: 'string', nullable: true, enum: ['a'] },
        python: { type: 'dict' },
        unheard: { type: 'any' },
      },
    });
    expect(shape).toEqual({
      properties: new Map<string, unknown>([
        ['exclusive', { types: ['number'], bounds: new Map([['exclusiveMinimum', 0]]) }],
        ['tuple', { types: ['array'], prefix: [{ types: ['string'] }], items: false }],
        ['marked', { types: ['string'] }],
        ['nullable', { types: ['string', 'null'], values: ['a', null] }],
        ['python', { types: ['object'] }],
        ['unheard', {}],
      ]),
      required: new Set(['marked']),
    });
  });

  it('resolves each reference once, also in cycles, and ignores missing targets', () => {
    const { properties } = readSchema({
      properties: {
        tree: { $ref: '#/$defs/Tree' },
        again: { $ref: '#/$defs/Tree' },
        lost: { $ref: '#/$defs/Lost' },
        remote: { $ref: 'https://example.com/' },
        inside: { $ref: '#/properties/named/items' },
        named: { items: { type: 'string' } },
      },
      $defs: { Tree: { properties: { child: { $ref: '#/$defs/Tree' } } } },
    });
    const tree = properties?.get('tree')?.ref;
    expect(tree?.name).toBe('Tree');
    expect(tree?.shape.properties?.get('child')?.ref).toBe(tree);
    expect(properties?.get('again')?.ref).toBe(tree);
    expect(properties?.get('lost')).toEqual({});
    expect(properties?.get('remote')).toEqual({});
    expect(properties?.get('inside')?.ref).toEqual({ name: 'named', shape: { types: ['string'] } });
  });

  it('treats __proto__ as an ordinary property', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}');
    const { properties, required } = readSchema(schema);
    expect(properties?.get('__proto__')).toEqual({ types: ['string'] });
    expect(required?.has('__proto__')).toBe(true);
  });

  it('reads every hostile schema quickly', () => {
    const used = processorTime();
    for (const { inputSchema } of HOSTILE_DEFINITIONS) readSchema(inputSchema);
    expect(used()).toBeLessThan(20_000);
  });
});
