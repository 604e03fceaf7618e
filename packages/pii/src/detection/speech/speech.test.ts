import { describe, expect, it } from 'vitest';
import { detectText } from '../documents/text.ts';

/** Returns the findings of a call; ` / ` separates its turns. */
function findings(call: string): string[] {
  const text = call.replaceAll(' / ', '\n');
  return detectText(text).map(({ type, start, end }) => `${type} ${text.slice(start, end).replaceAll('\n', ' / ')}`);
}

describe('values in speech', () => {
  it.each([
    [
      'A: phone number? / B: nine oh two... hold on... five five five... one eight oh oh',
      'PHONE nine oh two... hold on... five five five... one eight oh oh',
    ],
    [
      'call me on oh seven seven double oh, nine hundred one two three',
      'PHONE oh seven seven double oh, nine hundred one two three',
    ],
    ['my cell is 415, five five five, um, 2671', 'PHONE 415, five five five, um, 2671'],
    [
      'Handynummer null eins sieben zwo, drei drei vier, fünf acht',
      'PHONE null eins sieben zwo, drei drei vier, fünf acht',
    ],
    [
      'mon téléphone : zéro six, douze, trente-quatre, cinquante-six',
      'PHONE zéro six, douze, trente-quatre, cinquante-six',
    ],
    [
      'mi teléfono es seis cincuenta y cinco, veintidós, treinta y cuatro',
      'PHONE seis cincuenta y cinco, veintidós, treinta y cuatro',
    ],
    [
      'A: your social? / B: five one nine / A: mm-hmm / B: eight two / A: okay / B: four four oh one',
      'SSN five one nine / A: mm-hmm / B: eight two / A: okay / B: four four oh one',
    ],
    [
      'amex three seven eight two eight two two four six three one double oh oh five',
      'CREDIT_CARD three seven eight two eight two two four six three one double oh oh five',
    ],
    ['the server at eighty one dot two dot 69 dot one forty four', 'IP eighty one dot two dot 69 dot one forty four'],
    ['born on the third of July, nineteen seventy six', 'DATE_OF_BIRTH the third of July, nineteen seventy six'],
    ['DOB oh four, twelve, nineteen sixty eight', 'DATE_OF_BIRTH oh four, twelve, nineteen sixty eight'],
    ['geboren am fünften Mai neunzehnhundertachtzig', 'DATE_OF_BIRTH fünften Mai neunzehnhundertachtzig'],
    [
      'write to a d a underscore nine, at, mail dot lakeside dash dental dot com',
      'EMAIL a d a underscore nine, at, mail dot lakeside dash dental dot com',
    ],
    ['S for sugar, A, M, at example dot net', 'EMAIL S for sugar, A, M, at example dot net'],
    ['marie tiret bas dupont arobase orange point fr', 'EMAIL marie tiret bas dupont arobase orange point fr'],
    ['my email is t brown one nine at gmail', 'EMAIL t brown one nine at gmail'],
  ])('%s', (call, found) => {
    expect(findings(call)).toEqual([found]);
  });

  it.each([
    'order number four five five one two two nine oh seven six',
    'A: the serial number? / B: seven seven zero one six nine two six two three',
    'page one, two, three, four, five, six, seven, eight',
    'the phone rang at two thirty, then at three forty five',
    'version two dot four dot one dot seven',
    'ten dot four dot two dot one',
    'I work at northwind dot com, look at github.com',
    'we met at the dot com conference',
    'born in a small town of two thousand people',
    'the colour of the text is rgba(255, 255, 255, 1)',
    'room sizes 120, 330, 4400, 120, 330, 4400',
  ])('nothing in: %s', (call) => {
    expect(findings(call)).toEqual([]);
  });
});
