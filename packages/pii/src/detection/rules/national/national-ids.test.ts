import { describe, expect, it } from 'vitest';
import { detectText } from '../../documents/text.ts';

const types = (text: string) => detectText(text).map(({ type }) => type);

/** Name, valid number, and the same number with a wrong check digit. */
const NUMBERS: readonly (readonly [string, string, string])[] = [
  ['NINO', 'AB123456C', 'BG123456C'],
  ['NHS number', '943 476 5919', '943 476 5918'],
  ['DNI', '12345678Z', '12345678A'],
  ['NIE', 'X1234567L', 'X1234567M'],
  ['CPF', '529.982.247-25', '529.982.247-26'],
  ['PESEL', '44051401359', '44051401358'],
  ['BSN', '111222333', '111222334'],
  ['Aadhaar', '2341 2341 2346', '2341 2341 2347'],
  ['IdNr', '86095742719', '86095742718'],
  ['NIR', '255081416802538', '255081416802539'],
  ['SIN', '130 692 544', '130 692 543'],
  ['TFN', '123 456 782', '123 456 783'],
  ['HETU', '131052-308T', '131052-308U'],
  ['AHV', '756.9217.0769.85', '756.9217.0769.84'],
  ['NRIC', 'S1234567D', 'S1234567E'],
  ['personnummer', '811228-9874', '811228-9875'],
];

describe('national identity numbers', () => {
  it.each(NUMBERS)('%s %s is valid, %s is not', (name, right, wrong) => {
    expect(types(`${name}: ${right}`)).toContain('NATIONAL_ID');
    expect(types(`My ${name} is ${right}.`)).toContain('NATIONAL_ID');
    expect(types(`${name}: ${wrong}`)).not.toContain('NATIONAL_ID');
    expect(types(`the value ${right}`)).not.toContain('NATIONAL_ID');
  });

  it('finds passport numbers after the word', () => {
    expect(types('Passport number: X1234567')).toEqual(['PASSPORT']);
    expect(types('her passport is 123456789')).toContain('PASSPORT');
    expect(types('passport expired, see invoice X1234567')).not.toContain('PASSPORT');
  });
});
