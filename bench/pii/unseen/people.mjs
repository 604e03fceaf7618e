// Names and addresses by language, for texts with labels. They are made apart from the rules.
const list = (text) => text.split(';');

/** Given names, family names and addresses. `##` are digits; a number in the ideographic form stays as it is. */
const PEOPLE = {
  en: [
    list('Philippa;Barnaby;Rosalind;Theo;Imogen'),
    list('Cartwright;Pemberton;Ashdown;Lockwood;O’Rourke'),
    list('## Larch Avenue, Norwich NR2 4QX;1## Mulberry Lane;4## W 9th St, Apt 2, Tulsa, OK 74119'),
  ],
  de: [
    list('Annegret;Jürgen;Friederike;Hartmut'),
    list('Schäfer;Wohlgemuth;Brandstätter;Groß'),
    list('Lindenstraße ##, 50674 Köln;Am Alten Markt 1#;Goethestr. ##'),
  ],
  fr: [
    list('Élodie;Guillaume;Maëlle;Benoît'),
    list('Charpentier;Delacroix;Beaufort;Mercier'),
    list('## rue des Lilas, 69003 Lyon;## avenue Jean Jaurès;1# place du Marché'),
  ],
  es: [
    list('Ximena;Rodrigo;Inmaculada;Álvaro'),
    list('Gutiérrez;Zambrano;Echeverría;Pacheco'),
    list('Calle Serrano ##, 28001 Madrid;Avenida del Puerto 1##;Paseo de Gracia ##'),
  ],
  it: [
    list('Ginevra;Ludovico;Beatrice;Tommaso'),
    list('Colombo;Ferraro;Montanari;Bellucci'),
    list('Via Garibaldi ##, 16124 Genova;Corso Vittorio Emanuele 1##;Piazza Dante #'),
  ],
  nl: [
    list('Anouk;Sander;Femke;Jeroen'),
    list('Hendriks;Vermeulen;Brouwer;Kuipers'),
    list('Prinsengracht 2##, 1016 GZ Amsterdam;Kerkstraat ##;Lange Voorhout #'),
  ],
  pt: [
    list('Inês;Tiago;Beatriz;Gonçalo'),
    list('Figueiredo;Albuquerque;Teixeira;Moura'),
    list('Rua Augusta ##, 1100-053 Lisboa;Avenida Paulista 1###;Travessa do Carmo #'),
  ],
  pl: [
    list('Agnieszka;Zbigniew;Małgorzata;Łukasz'),
    list('Wiśniewska;Zieliński;Wróbel;Dąbrowski'),
    list('ul. Mickiewicza ##/4, 30-059 Kraków;Nowy Świat ##;al. Jerozolimskie 1##'),
  ],
  sv: [
    list('Ingrid;Göran;Linnéa;Åke'),
    list('Bergström;Lindqvist;Nyström;Öberg'),
    list('Storgatan ##, 411 24 Göteborg;Sveavägen 1##;Drottninggatan #'),
  ],
  tr: [
    list('Ayşe;Mehmet;Elif;Çağrı'),
    list('Yılmaz;Öztürk;Şahin;Karaca'),
    list('Atatürk Cad. No: ##, 34710 Kadıköy;İnönü Sokak #;Bağdat Caddesi 1##'),
  ],
  ru: [
    list('Екатерина;Дмитрий;Людмила;Сергей'),
    list('Соколова;Кузнецов;Морозова;Лебедев'),
    list('ул. Пушкина, д. ##, кв. #;Невский проспект 1##;ул. Гагарина ##'),
  ],
  ja: [
    list('美咲;健太;さくら;大輔'),
    list('佐藤;渡辺;小林;高橋'),
    list('東京都渋谷区神南1-##-3;大阪市北区梅田2丁目4-#'),
  ],
  zh: [list('秀英;建国;丽华;志强'), list('王;李;张;陈'), list('北京市朝阳区建国路##号;上海市浦东新区世纪大道1##号')],
  ko: [
    list('지은;민수;서연;현우'),
    list('김;박;최;정'),
    list('서울특별시 강남구 테헤란로 1##;부산광역시 해운대구 센텀로 ##'),
  ],
  hi: [list('प्रिया;राजेश;सुनीता;अमित'), list('शर्मा;वर्मा;गुप्ता;सिंह'), list('## गांधी मार्ग, जयपुर;मकान नंबर ##, लाजपत नगर')],
  ar: [
    list('فاطمة;محمد;ليلى;خالد'),
    list('الحسيني;العتيبي;منصور;الخطيب'),
    list('شارع الملك فهد ##، الرياض;## شارع التحرير، القاهرة'),
  ],
};
/** Languages that write the family name first, without a space. */
const JOINED = new Set(['ja', 'zh', 'ko']);

/** The languages with names. */
export const LANGUAGES = Object.keys(PEOPLE);

/** Creates the names and addresses of one document. */
export function people({ pick, int }) {
  const part = (language, at) => pick((PEOPLE[language] ?? PEOPLE.en)[at]);
  const given = (language) => part(language, 0);
  const family = (language) => part(language, 1);
  return {
    given,
    family,
    person: (language) =>
      JOINED.has(language) ? family(language) + given(language) : `${given(language)} ${family(language)}`,
    street: (language) => part(language, 2).replaceAll('#', () => String(int(1, 9))),
  };
}
