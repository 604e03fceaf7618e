import { expect, it } from 'vitest';
import { detectValue } from '../documents/value.ts';

const typesOf = (value: unknown) =>
  detectValue(value).map(({ path, spans }) => `${path.join('.')} ${spans.map(({ type }) => type).join()}`);

it.each([
  [{ 電話番号: '0333447781', 氏名: '山田太郎' }, ['電話番号 PHONE', '氏名 NAME']],
  [
    { 手机: '13812349876', 姓名: '王小明', 地址: '北京市朝阳区建国路88号' },
    ['手机 PHONE', '姓名 NAME', '地址 ADDRESS'],
  ],
  [{ 전화번호: '01012345678', 이름: '김민수' }, ['전화번호 PHONE', '이름 NAME']],
  [{ मोबाइल: '9876543210', नाम: 'अर्जुन शर्मा' }, ['मोबाइल PHONE', 'नाम NAME']],
  [{ 'رقم الهاتف': '0501234567', الاسم: 'أحمد علي' }, ['رقم الهاتف PHONE', 'الاسم NAME']],
  [
    { телефон: '89161234567', фамилия: 'Иванов', 'дата рождения': '12.03.1980' },
    ['телефон PHONE', 'фамилия NAME', 'дата рождения DATE_OF_BIRTH'],
  ],
  [{ imie: 'Anna', nazwisko: 'Kowalska', ulica: 'Polna 7' }, ['imie NAME', 'nazwisko NAME', 'ulica ADDRESS']],
  [
    { förnamn: 'Astrid', efternamn: 'Lindqvist', gatuadress: 'Storgatan 4' },
    ['förnamn NAME', 'efternamn NAME', 'gatuadress ADDRESS'],
  ],
  [{ ad: 'Ayşe', soyad: 'Yılmaz', cep_telefonu: '05321234567' }, ['ad NAME', 'soyad NAME', 'cep_telefonu PHONE']],
  [
    { fornavn: 'Signe', efternavn: 'Mortensen', fødselsdato: '1989-05-25' },
    ['fornavn NAME', 'efternavn NAME', 'fødselsdato DATE_OF_BIRTH'],
  ],
  [
    { etunimi: 'Aino', puhelin: '0401234567', osoite: 'Mannerheimintie 10', syntymäaika: '1975-12-24' },
    ['etunimi NAME', 'puhelin PHONE', 'osoite ADDRESS', 'syntymäaika DATE_OF_BIRTH'],
  ],
  [
    { jméno: 'Tereza', příjmení: 'Dvořáková', telefon: '602123456', adresa: 'Husova 12', datum_narození: '1993-02-11' },
    ['jméno NAME', 'příjmení NAME', 'telefon PHONE', 'adresa ADDRESS', 'datum_narození DATE_OF_BIRTH'],
  ],
  [
    { "ім'я": 'Оксана', прізвище: 'Коваленко', дата_народження: '1987-08-30' },
    ["ім'я NAME", 'прізвище NAME', 'дата_народження DATE_OF_BIRTH'],
  ],
  [{ ονοματεπώνυμο: 'Νίκος Παππάς', τηλέφωνο: '6912345678' }, ['ονοματεπώνυμο NAME', 'τηλέφωνο PHONE']],
  [{ vezetéknév: 'Szabó', telefonszám: '06301234567' }, ['vezetéknév NAME', 'telefonszám PHONE']],
  [{ nama_lengkap: 'Dewi Lestari', alamat: 'Jalan Melati 5' }, ['nama_lengkap NAME', 'alamat ADDRESS']],
  [{ woonadres: 'Kerkstraat 12, Utrecht' }, ['woonadres ADDRESS']],
  [
    { name: [{ family: 'Hartwick', given: ['Amelia', 'Jane'] }] },
    ['name.0.family NAME', 'name.0.given.0 NAME', 'name.0.given.1 NAME'],
  ],
])('reads keys of other languages and of FHIR: %j', (value, expected) => expect(typesOf(value)).toEqual(expected));

it.each([
  [{ font: { family: 'Inter', weight: 'Bold' } }],
  [{ ad: 'Summer Sale', campaign: 'Summer', clicks: 12 }],
  [{ 价格: '13812349876', 番号: 'A-12' }],
])('finds no name in things: %j', (value) => expect(typesOf(value)).toEqual([]));
