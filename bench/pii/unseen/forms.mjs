/** Forms, custom fields, tables in JSON and records in other languages. */
export const FORMS = [
  {
    columns: ['customer_ref', 'contact_email', 'daytime_phone', 'tax_ssn', 'signup_ip', 'sku'],
    rows: [
      ['{f:#########}', '{email}', '{phone.us}', '{ssn}', '{ip}', '{f:###-##-####}'],
      ['{f:#########}', '{email}', '{phone.us}', '{ssn}', '{ip}', '{f:###-##-####}'],
    ],
  },
  {
    schema: { fields: [{ name: 'event_id' }, { name: 'client_ip' }, { name: 'card_pan' }, { name: 'msisdn' }] },
    rows: [{ f: [{ v: '{f:##########}' }, { v: '{ip}' }, { v: '{card.plain}' }, { v: '{phone.any}' }] }],
  },
  {
    range: 'Sheet1!A1:E3',
    majorDimension: 'ROWS',
    values: [
      ['Timestamp', 'Full name', 'Phone number', 'E-mail', 'T-shirt', 'Emergency contact phone'],
      ['3/4/2025 9:12:44', '{name}', '{phone.us}', '{email}', 'M', '{phone.us}'],
      ['3/4/2025 9:14:02', '{name}', '{phone.gb}', '{email}', 'L', '{phone.gb}'],
    ],
  },
  {
    phone1: '{phone.us}',
    phone2: '{phone.gb}',
    email3: '{email}',
    ssn2: '{ssn.plain}',
    card_number8: '{card.plain}',
    ip4: '{ip}',
    iban1: '{iban.plain}',
    line1: 'Unit {f:##}',
    value5: '{f:##########}',
    item6: '{f:###-##-####}',
  },
  {
    custom_fields: [
      { id: 360012345678, name: 'Phone', value: '{phone.us}' },
      { id: 360012345679, name: 'Order reference', value: '{f:##########}' },
      { id: 360012345680, name: 'Social Security Number', value: '{ssn.plain}' },
      { id: 360012345681, name: 'Asset tag', value: '{f:###-##-####}' },
    ],
  },
  {
    customFields: [
      { fieldId: 'cf_12', label: 'Mobile', fieldValue: '{phone.de}' },
      { fieldId: 'cf_13', label: 'Cost code', fieldValue: '{f:#########}' },
      { fieldId: 'cf_14', label: 'Date of birth', fieldValue: '{dob.eu}' },
    ],
  },
  {
    answers: [
      { question: 'What is your phone number?', answer: '{phone.gb}' },
      { question: 'How many employees?', answer: '{f:####}' },
      { question: 'Your e-mail address', answer: '{email}' },
      { question: 'Passport number', answer: '{passport}' },
      { question: 'Purchase order', answer: '{f:##########}' },
    ],
  },
  {
    form_response: {
      form_id: '{f:AA##AA}',
      answers: [
        { field: { id: 'a1', type: 'phone_number', ref: 'r1' }, type: 'phone_number', phone_number: '{phone.any}' },
        { field: { id: 'a2', type: 'number' }, type: 'number', number: 20394857 },
        { field: { id: 'a3', type: 'email' }, type: 'email', email: '{email}' },
      ],
    },
  },
  {
    submission: {
      q3_fullName: { first: '{first}', last: '{last}' },
      q4_phoneNumber: { full: '{phone.us}' },
      q5_email: '{email}',
      q6_ssn: '{ssn}',
      q9_orderNo: '{f:##########}',
      ip: '{ip}',
    },
  },
  {
    records: [
      { key: 'home_phone', val: '{phone.us}' },
      { key: 'zip_plus4', val: '{f:#####-####}' },
      { key: 'birthdate', val: '{dob.us}' },
      { key: 'npi', val: '{f:1#########}' },
      { key: 'ssn', val: '{ssn.plain}' },
    ],
  },
  {
    user: {
      ssn: '{#ssn.plain}',
      phoneNumber: '{#phone.us}',
      creditCard: '{#card.plain}',
      id: 123456789,
      createdAt: 1712345678901,
      accountNumber: '{f:##########}',
      zip: 94107,
    },
  }.user,
  {
    patients: [
      {
        mrn: '{f:##########}',
        npi: '{f:1#########}',
        encounter_id: '{f:##########}',
        ssn_no: '{ssn.plain}',
        contact_no: '{phone.us}',
        emergency_contact_number: '{phone.us}',
        dob: '{dob.us}',
        dea: 'BB{f:#######}',
        icd10: 'E11.9',
      },
    ],
  },
  {
    devices: [
      {
        serial: '{f:##########}',
        imei: '{f:35#############}',
        iccid: '{f:89#################}',
        mac_address: '{mac}',
        wanIp: '{ip}',
        lanIp: '192.168.0.{int:2-99}',
        firmware: '4.10.2.{int:1-9}',
        msisdn: '{phone.any}',
      },
    ],
  },
  {
    books: [
      {
        isbn: '{f:978##########}',
        isbn10: '{f:##########}',
        upc: '{f:############}',
        price: '12.99',
        stock: 120,
        ean: '{f:#############}',
        edition: '2',
        published: '1998-04-02',
        asin: 'B0{f:########}',
      },
    ],
  },
  {
    build: {
      version: '10.15.7.{int:1-9}',
      sha: '{f:hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh}',
      number: 1043234567,
      started_at: 1712345678,
      duration: 345,
      artifact: 'app-2.3.4.jar',
      runId: '{f:##########}',
      pipeline: '{f:###-###-####}',
    },
  },
  {
    invoice: {
      InvoiceNumber: 'INV-{f:####}',
      InvoiceID: '{f:hhhhhhhh-hhhh-4hhh-8hhh-hhhhhhhhhhhh}',
      Reference: '{f:##########}',
      Contact: {
        EmailAddress: '{email}',
        Phones: [
          { PhoneType: 'DDI', PhoneNumber: '{phone.us}' },
          { PhoneType: 'MOBILE', PhoneNumber: '{phone.gb}', PhoneCountryCode: '44' },
        ],
        BankAccountDetails: '{iban.plain}',
      },
      LineItems: [{ ItemCode: '{f:###-###-####}', UnitAmount: 20.0 }],
    },
  },
  {
    data: {
      attributes: {
        'name-first': '{first}',
        'phone-number': '{phone.any}',
        'email-address': '{email}',
        birthdate: '{dob.iso}',
        'identification-number': '{ssn}',
        'reference-id': '{f:##########}',
      },
      type: 'inquiry',
    },
  },
  {
    payer: {
      email_address: '{email}',
      payer_id: '{f:AAAA#AAA##AAA}',
      phone: { phone_number: { national_number: '{phone.us}' } },
    },
    purchase_units: [
      {
        invoice_id: '{f:########}',
        payments: { captures: [{ id: '{f:#AA#####AA######A}', amount: { value: '30.00' } }] },
      },
    ],
    payment_source: { card: { number: '{card.plain}', expiry: '2027-11', security_code: '{f:###}' } },
  },
  {
    message: {
      from: { emailAddress: { name: '{name}', address: '{email}' } },
      toRecipients: [{ emailAddress: { address: '{email}' } }],
      internetMessageId: '<{f:hhhhhhhhhhhh}@mail.northwind.io>',
      conversationIndex: 'AQHa{f:AAAA####AAAA}',
      bodyPreview: 'Call me on {phone.us} about ticket {f:########}',
    },
  },
  {
    events: [
      {
        actor: { alternateId: '{email}' },
        client: { ipAddress: '{ip}', userAgent: { rawUserAgent: 'Chrome/121.0.6167.85' } },
        uuid: '{f:hhhhhhhh-hhhh-4hhh-8hhh-hhhhhhhhhhhh}',
        version: '0',
        debugContext: { requestId: '{f:AAA##AAA###}' },
      },
    ],
    nextPageToken: '{f:AA##AAAA##AAAA##AAAA##}',
  },
  {
    hits: {
      hits: [
        {
          _index: 'logs-2025.03.04',
          _id: '{f:AA##AAA#AAAA}',
          _source: {
            '@timestamp': '2025-03-04T10:00:00Z',
            'source.ip': '{ip}',
            'user.email': '{email}',
            'http.response.bytes': 102400,
            'trace.id': '{f:hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh}',
            'client.mac': '{mac}',
          },
        },
      ],
    },
  },
  {
    contact: {
      vcard: [
        'BEGIN:VCARD\nVERSION:3.0\nFN:{name}\nTEL;TYPE=CELL:{phone.any}\nEMAIL:{email}\nBDAY:{dob.iso}\nEND:VCARD',
      ],
      uid: '{f:hhhhhhhh-hhhh-4hhh-8hhh-hhhhhhhhhhhh}',
      rev: '20250304T101112Z',
    },
  },
  {
    Guest: {
      Passport_No: '{passport}',
      Tel_No_Res: '{phone.gb}',
      Mob_No: '{phone.in}',
      DateOfBirth: '{dob.uk}',
      Room_No: '{f:####}',
      Folio_No: '{f:##########}',
      Card_No: '{card}',
      Conf_No: '{f:#########}',
    },
  },
  {
    lead: {
      ContactNumbers: { Primary: '{phone.us}', Secondary: '{phone.us}' },
      PreferredEmail: '{email}',
      TaxIdentifier: { Type: 'SSN', Value: '{ssn.plain}' },
      Score: '{f:##}',
      CampaignId: '{f:###-###-####}',
    },
  },
  {
    identity_documents: [
      { doc_type: 'passport', doc_number: '{passport}', expires: '2031-05-01' },
      { doc_type: 'invoice', doc_number: '{f:########}' },
    ],
    kyc_ref: '{f:##########}',
    msisdn: '{phone.any}',
    remoteIp: '{ip}',
  },
];
