import { expect, it } from 'vitest';
import { detectText } from '../documents/text.ts';

it.each([
  ['\u001b[32mada@northwind.io\u001b[0m', 'EMAIL', 'ada@northwind.io'],
  ['Email: ada\u001b[1m@northwind.io', 'EMAIL', 'ada\u001b[1m@northwind.io'],
  ['doc://ada@northwind.io/x', 'EMAIL', 'ada@northwind.io'],
  ['uid: ada1815@northwind.io', 'EMAIL', 'ada1815@northwind.io'],
  ['GET https://x.com/cards/4539578763621486/view', 'CREDIT_CARD', '4539578763621486'],
  ['Mój PESEL to 94041956419, numer zamówienia 7020393461', 'NATIONAL_ID', '94041956419'],
  ['Llámeme al 600 123 987 mañana', 'PHONE', '600 123 987'],
  ['called 07700 900123 2024-03-10 at noon', 'PHONE', '07700 900123'],
  ['10:30+02:00 415-555-2671', 'PHONE', '415-555-2671'],
])('finds in %j %s', (text, type, value) => {
  expect(detectText(text).map((span) => [span.type, text.slice(span.start, span.end)])).toEqual([[type, value]]);
});

it.each([
  'message prefix on CioStream socket to 172.16.96.116:41217: Link',
  '081110 001250 4631 INFO dfs.DataNode$PacketResponder',
  'Dropbox[24019]: [0701/114930:WARNING:dns_config_service]',
  '2024-03-10 02:30:00-05:00 2024-03-10 03:30:00-04:00',
  '02:30:00-05:00, 19.09.2023 04:09',
  'lines 559-973, 2016-07-02 23:06:01+02',
  '2024/03/10 02:30:00 -0500 - 2024/03/11 02:30:00 -0500',
  'Extension sip:7704@pbx.internal is busy',
  'Bad activity token: android.os.BinderProxy@2bd79ce',
  'Message-ID: <20260303.0912@mx.carvalho.pt>',
  'UID:8830-44@calendar.example.org',
  'WindowManager: Skipping AppWindowToken{9f4ef63 token=Token}',
])('finds nothing in the log %j', (text) => {
  expect(detectText(text)).toEqual([]);
});
