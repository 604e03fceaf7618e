// Names, addresses and numbers under keys: in objects, and in texts that are no JSON.

/** Writes records of one language in the forms of the others: an object, lines and a form of XML. */
function formsOf(language, keys) {
  const pairs = Object.entries(keys);
  return [
    JSON.stringify(keys),
    JSON.stringify({ items: [keys, keys], total: 2 }),
    pairs.map(([key, value]) => `${key}: ${value}`).join('\n'),
    pairs.map(([key, value]) => `<${key}>${value}</${key}>`).join('\n'),
    pairs.map(([key, value]) => `| ${key} | ${value} |`).join('\n'),
    `${pairs.map(([key]) => key).join(',')}\n${pairs.map(([, value]) => `"${value}"`).join(',')}\n${pairs.map(([, value]) => `"${value}"`).join(',')}\n`,
  ].map((text) => text.replaceAll('@', `.${language}`));
}

const LANGUAGES = [
  formsOf('de', {
    kundennummer: '{f:######}',
    vorname: '{given@}',
    nachname: '{family@}',
    anschrift: '{street@}',
    geburtsdatum: '{dob.eu}',
    mobilnummer: '{phone.de}',
  }),
  formsOf('fr', {
    prenom: '{given@}',
    nom_famille: '{family@}',
    adresse: '{street@}',
    date_naissance: '{dob.uk}',
    telephone: '{phone.fr}',
    reference: '{f:########}',
  }),
  formsOf('es', {
    titular: '{person@}',
    direccion: '{street@}',
    fecha_nacimiento: '{dob.uk}',
    movil: '{phone.es}',
    correo: '{email}',
  }),
  formsOf('it', {
    nome: '{given@}',
    cognome: '{family@}',
    indirizzo: '{street@}',
    cellulare: '{phone.it}',
    data_nascita: '{dob.uk}',
  }),
  formsOf('nl', {
    voornaam: '{given@}',
    achternaam: '{family@}',
    woonadres: '{street@}',
    telefoonnummer: '{phone.nl}',
    geboortedatum: '{dob.iso}',
  }),
  formsOf('pt', {
    nome_completo: '{person@}',
    endereco: '{street@}',
    celular: '{phone.pt}',
    data_nascimento: '{dob.uk}',
    email: '{email}',
  }),
  formsOf('pl', {
    imie: '{given@}',
    nazwisko: '{family@}',
    adres: '{street@}',
    numer_telefonu: '{phone.pl}',
    pesel: '{nid.pl}',
  }),
  formsOf('sv', {
    förnamn: '{given@}',
    efternamn: '{family@}',
    gatuadress: '{street@}',
    telefonnummer: '{phone.se}',
    epost: '{email}',
  }),
  formsOf('tr', {
    ad: '{given@}',
    soyad: '{family@}',
    adres: '{street@}',
    cep_telefonu: '{phone.tr}',
    doğum_tarihi: '{dob.eu}',
  }),
  formsOf('ru', {
    фио: '{person@}',
    адрес: '{street@}',
    телефон: '{phone.any}',
    дата_рождения: '{dob.eu}',
    почта: '{email}',
  }),
  formsOf('ja', { 氏名: '{person@}', 住所: '{street@}', 生年月日: '{dob.iso}', メールアドレス: '{email}' }),
  formsOf('zh', { 姓名: '{person@}', 地址: '{street@}', 出生日期: '{dob.iso}', 邮箱: '{email}' }),
  formsOf('ko', { 이름: '{person@}', 주소: '{street@}', 생년월일: '{dob.iso}', 이메일: '{email}' }),
  formsOf('hi', { नाम: '{person@}', पता: '{street@}', फोन: '{phone.in}', ईमेल: '{email}' }),
  formsOf('ar', { الاسم: '{person@}', العنوان: '{street@}', البريد_الإلكتروني: '{email}', تاريخ_الميلاد: '{dob.iso}' }),
].flat();

const OBJECTS = [
  {
    resourceType: 'Patient',
    name: [{ use: 'official', family: '{family.en}', given: ['{given.en}', '{given.en}'] }],
    address: [{ line: ['{street.en}'], country: 'US' }],
    telecom: [{ system: 'phone', value: '{phone.us}' }],
    birthDate: '{dob.iso}',
  },
  {
    resourceType: 'Practitioner',
    id: 'p-{f:###}',
    name: [{ family: '{family.de}', given: ['{given.de}'], prefix: ['Dr.'] }],
    identifier: [{ system: 'http://hl7.org/fhir/sid/us-npi', value: '{f:1#########}' }],
  },
  { resourceType: 'RelatedPerson', name: [{ text: '{person.en}' }], telecom: [{ system: 'email', value: '{email}' }] },
  {
    results: [
      { name: { title: 'Ms', first: '{given.en}', last: '{family.en}' }, email: '{email}', cell: '{phone.us}' },
    ],
    info: { version: '1.4' },
  },
  { user: { name: { first: '{given.es}', last: '{family.es}' }, address: { street: '{street.es}' } } },
  {
    fields: [
      { name: 'Full name', value: '{person.en}' },
      { name: 'Warehouse', value: 'Northern Depot' },
      { name: 'Home address', value: '{street.en}' },
    ],
  },
  {
    answers: [
      { question: 'What is your name?', answer: '{person.en}' },
      { question: 'Which plan do you prefer?', answer: 'Gold Plus' },
      { question: 'What is your home address?', answer: '{street.en}' },
    ],
  },
  {
    properties: [
      { label: 'Customer name', value: '{person.fr}' },
      { label: 'Product name', value: 'Desk Lamp' },
    ],
  },
  { key: 'OPS-{f:##}', assignee: '{person.en}', summary: 'Rotate the keys', status: 'Done' },
  {
    invoice: '{f:#####}',
    billTo: { name: '{person.de}', address: '{street.de}' },
    shipTo: { contactName: '{person.de}', street: '{street.de}' },
  },
  {
    sheet: [
      { row: 1, col: 1, value: 'Name' },
      { row: 1, col: 2, value: 'E-mail' },
      { row: 2, col: 1, value: '{person.en}' },
      { row: 2, col: 2, value: '{email}' },
    ],
  },
  { employees: [{ fullName: '{person.nl}', manager: '{person.nl}', workEmail: '{email}', department: 'Field Sales' }] },
  {
    passengers: [{ firstName: '{given.pt}', surname: '{family.pt}', passportNumber: '{passport}', dob: '{dob.iso}' }],
    flight: 'TP{f:####}',
  },
].map((record) => JSON.stringify(record));

const TEXTS = [
  'patient:\n  full_name: {person.en}\n  address: {street.en}\n  phone: {phone.us}\nward: North Wing\n',
  'customers:\n  - name: {person.de}\n    email: {email}\n    city: Bremen\n  - name: {person.de}\n    email: {email}\n',
  'owner:\n  name: "{person.es}"\n  email: {email}\nspec:\n  name: Billing Portal\n  replicas: 2\n',
  'apiVersion: v1\nkind: Deployment\nmetadata:\n  name: Checkout Api\n  labels:\n    team: Blue Falcon\n  annotations:\n    contact: {email}\n',
  '[contact]\nname = {person.en}\nmail = {email}\n\n[service]\nname = Metrics Relay\n',
  '[driver]\nfirst_name={given.pl}\nlast_name={family.pl}\nlicence_class=B\n',
  '<contact><firstName>{given.en}</firstName><lastName>{family.en}</lastName><street>{street.en}</street></contact>',
  '<customers>\n  <customer id="{f:###}">\n    <name>{person.it}</name>\n    <email>{email}</email>\n  </customer>\n</customers>',
  '<product><name>Garden Chair</name><price>49.00</price><sku>GC-{f:###}</sku></product><buyer><name>{person.en}</name></buyer>',
  '<table><tr><th>Full name</th><th>Phone</th></tr><tr><td>{person.en}</td><td>{phone.us}</td></tr><tr><td>{person.en}</td><td>{phone.us}</td></tr></table>',
  '<table>\n<thead><tr><th>Item</th><th>Customer</th><th>Address</th></tr></thead>\n<tbody><tr><td>Oak Table</td><td>{person.en}</td><td>{street.en}</td></tr></tbody>\n</table>',
  '<table><tr><th>Patient name</th><td>{person.fr}</td></tr><tr><th>Date of birth</th><td>{dob.uk}</td></tr></table>',
  '<dl><dt>Name</dt><dd>{person.en}</dd><dt>Email</dt><dd>{email}</dd></dl>',
  '<p><b>Contact:</b> {person.en}<br><b>Address:</b> {street.en}</p>',
  "INSERT INTO customers (id, full_name, email, address) VALUES ({f:###}, '{person.en}', '{email}', '{street.en}'), ({f:###}, '{person.de}', '{email}', '{street.de}');",
  "INSERT INTO `users` (`id`,`first_name`,`last_name`,`ssn`) VALUES (1,'{given.en}','{family.en}','{ssn.plain}');",
  "INSERT INTO products (id, name, sku) VALUES (1, 'Walnut Shelf', 'WS-{f:###}');\nINSERT INTO people (name, phone) VALUES ('{person.es}', '{phone.es}');",
  "UPDATE customers SET full_name = '{person.en}', address = '{street.en}' WHERE id = {f:####};",
  'BEGIN:VCARD\nVERSION:3.0\nN:{family.en};{given.en};;;\nFN:{person.en}\nTEL;TYPE=voice:{phone.us}\nADR;TYPE=HOME:;;{street.en}\nBDAY:{dob.compact}\nEND:VCARD',
  'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:{person.fr}\r\nEMAIL;TYPE=work:{email}\r\nORG:Atelier Nord\r\nTITLE:Sales Lead\r\nBDAY;VALUE=date:{dob.iso}\r\nEND:VCARD\r\n',
  'BEGIN:VEVENT\nSUMMARY:Quarterly Review\nORGANIZER;CN={person.en}:mailto:{email}\nATTENDEE;CN="{person.de}";ROLE=REQ-PARTICIPANT:mailto:{email}\nLOCATION:Room Cedar\nEND:VEVENT',
  'From: {person.en} <{email}>\nTo: "{person.de}" <{email}>\nCc: {person.fr} <{email}>\nSubject: Minutes of the Board\nMessage-ID: <{f:##########}.{f:hhhhhhhh}@mx.lakeside-dental.com>\n\nSee below.\n',
  'commit {f:hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh}\nAuthor: {person.sv} <{email}>\nDate:   Tue Mar 4 10:11:12 2025 +0100\n\n    Fix The Parser\n',
  '- **Name:** {person.en}\n- **Email:** {email}\n- **Address:** {street.en}\n- **Plan:** Silver Annual\n',
  '### Customer\n\n**Full name**: {person.nl}  \n**Phone**: {phone.nl}\n\n### Product\n\n**Name**: Kettle Pro\n',
  "const customer = {{ fullName: '{person.en}', phone: '{phone.us}', tier: 'Gold Member' }};",
  "{{'first_name': '{given.en}', 'last_name': '{family.en}', 'dob': '{dob.iso}', 'plan': 'Team Annual'}}",
  "User(id={f:###}, full_name='{person.pt}', email='{email}', role='Site Admin')",
  '2025-03-04T10:11:12Z INFO signup user="{person.en}" email={email} ip={ip} plan="Gold Annual"',
  '2025-03-04 10:11:12,345 DEBUG [worker-3] c.a.Orders - customerName={person.de}, orderId={f:##########}, amount=12.50',
  'Mar  4 10:11:12 web-1 app[{f:####}]: level=info msg="Order Shipped" recipient="{person.en}" address="{street.en}"',
  'Patient Name: {person.en}\nDOB: {dob.us}\nMRN: {f:########}\nAttending: Cardiology Unit\nAddress: {street.en}\n',
  'Cardholder: {person.es}\nCard: {card.grouped}\nAuthorisation: {f:######}\n',
  'MSH|^~\\&|LAB|NORTH|||202503041011||ADT^A01|{f:#####}|P|2.5\nPID|1||{f:######}^^^MRN||{family.en}^{given.en}||{dob.compact}|F|||{street.en}||{phone.us}|||||||{ssn}\n',
  'name: Build And Test\non: [push]\njobs:\n  unit:\n    name: Unit Tests\n    runs-on: ubuntu-latest\n',
  'interface Customer {{ fullName: String; address: Address; contact: ContactInfo }}\nclass Person {{ firstName = Column(String) }}',
  'address = 0x7ffd1a2b size = 4096 name = Main Heap\nbind address: 10.0.0.7 port 8443\n',
  'Name: Quarterly Report\nType: Spreadsheet\nOwner: Finance Team\nSize: 34 KB\n',
  'Name:\t{person.en}\nTitle:\tHead of Research\nPhone:\t{phone.us}\nFax:\t{phone.us}\n',
  'Shipping address:\n{person.en}\n{street.en}\n\nOrder {f:########}\n',
  'Emergency contact: {person.it} ({phone.it})\nAllergies: None Known\n',
  'Employee: {person.en}; Manager: {person.en}; Department: Field Service\n',
  'student_name\tguardian\tphone\n{person.en}\t{person.en}\t{phone.us}\n{person.en}\t{person.en}\t{phone.us}\n',
];

export const LABELLED = [...OBJECTS, ...LANGUAGES, ...TEXTS].map((text) =>
  text.replaceAll('{{', '{').replaceAll('}}', '}'),
);
