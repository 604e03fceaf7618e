// Tries texts of random tokens, repeated, and reports the slowest: node bench/pii/worst.mjs [tries] [seed]. Needs a build.
// Add slow texts to hostile.mjs.
import { detectText } from '../../packages/pii/build/detection/documents/text.js';
import { round } from '../measure.mjs';
import { random } from './random.mjs';

const TOKENS = (
  'a. 1- +1( @ 7 12 1234 4111 123456 \u200b [ " {" \\ \\u00 \\u0031 : %40 % &#64; &# & 2001:db8::1 ::1 fe80: key= password= ' +
  'token: . - / // :// ( ) a b@c.de x@ GB12 GB 1.2.3.4 10.0.0.1:80 2024-01-15 12:30 phone ssn card iban nino passport AB123456C ' +
  'born March dot at [at] (dot) eyJ eyJhbGciOi. AKIA sk- ghp_ Bearer = =3D =40 aGVsbG8 QUJD deadbeef 00:1a: 00-1a- 415-555-2671 ' +
  '(415) +44 0044 07700 x12 é 電話 ９ 😀 \ud800 "k":"v", "phone":" "," } ] , ; | _ $ # \' < > * secret is tel: 536-90- 1,234 0 00'
)
  .split(' ')
  .concat([
    ' ',
    '\n',
    '\t',
    ' dot ',
    ' at ',
    '-----BEGIN ',
    'PRIVATE KEY-----',
    '4111 1111 1111 1112 ',
    'email,phone\n',
    '12 March ',
  ]);
const CHARS = 60_000;
const SHOWN = 15;
const MOST_TOKENS = 4;

const tries = Number(process.argv[2] ?? 1_500);
const rng = random(Number(process.argv[3] ?? 1));

function cpuMs(unit, characters) {
  const text = unit.repeat(Math.ceil(characters / unit.length));
  const before = process.cpuUsage();
  detectText(text);
  return process.cpuUsage(before).user / 1e3;
}

const units = Array.from({ length: tries }, () =>
  Array.from({ length: rng.int(1, MOST_TOKENS) }, () => rng.pick(TOKENS)).join(''),
);
const slowest = [...new Set(units)]
  .map((unit) => ({ unit, ms: Math.min(cpuMs(unit, CHARS), cpuMs(unit, CHARS)) }))
  .sort((a, b) => b.ms - a.ms)
  .slice(0, SHOWN);
for (const { unit } of slowest) {
  const quarter = Math.min(cpuMs(unit, 250_000), cpuMs(unit, 250_000));
  const whole = Math.min(cpuMs(unit, 1_000_000), cpuMs(unit, 1_000_000));
  console.log(
    JSON.stringify({ unit, mbMs: round(whole, 0), exponent: round(Math.log(whole / quarter) / Math.log(4)) }),
  );
}
