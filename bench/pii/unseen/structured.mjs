// Results in the styles of well-known APIs, with values of business beside the personal ones.

const RECORDS = [
  {
    attributes: { type: 'Contact', url: '/services/data/v58.0/sobjects/Contact/003{f:############}' },
    Id: '003{f:############}',
    FirstName: '{first}',
    LastName: '{last}',
    Email: '{email}',
    MobilePhone: '{phone.any}',
    HomePhone: '{phone.us}',
    Birthdate: '{dob.iso}',
    AccountId: '001{f:############}',
    SSN__c: '{ssn}',
    LeadScore__c: '{f:##}',
  },
  {
    results: [
      {
        id: '{f:##########}',
        properties: {
          email: '{email}',
          mobilephone: '{phone.fr}',
          hs_whatsapp_phone_number: '{phone.any}',
          hs_ip_timezone: 'europe_slash_paris',
          hs_object_id: '{f:###########}',
          num_notes: '{f:##}',
          date_of_birth: '{dob.iso}',
        },
        updatedAt: '2025-02-03T10:11:12.123Z',
      },
    ],
    paging: { next: { after: '{f:#########}' } },
  },
  {
    id: 'cus_{f:A#AA##AA#AA###}',
    object: 'customer',
    balance: 0,
    created: 1712345678,
    email: '{email}',
    invoice_prefix: '{f:A#A##A#}',
    phone: '{phone.any}',
    next_invoice_sequence: 12,
    shipping: { name: '{name}', phone: '{phone.us}' },
    tax_ids: { data: [] },
    sources: { data: [{ object: 'card', last4: '{f:####}', fingerprint: '{f:AAA###AAAA##AAAA}' }] },
  },
  {
    order: {
      id: 5678901234567,
      name: '#{f:####}',
      order_number: 1043,
      checkout_token: '{f:hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh}',
      browser_ip: '{ip}',
      contact_email: '{email}',
      phone: '{phone.us}',
      total_price: '199.00',
      line_items: [{ sku: '{f:AA-####-###}', barcode: '{f:############}', grams: 450 }],
      fulfillments: [{ tracking_number: '{f:##########}', tracking_company: 'DHL' }],
    },
  },
  {
    sid: 'SM{f:hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh}',
    account_sid: 'AC{f:hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh}',
    from: '{phone.any}',
    to: '{phone.any}',
    body: 'Your code is {f:######}',
    num_segments: '1',
    price: '-0.00750',
    date_sent: 'Thu, 24 Aug 2025 05:01:45 +0000',
    status: 'delivered',
    error_code: null,
  },
  {
    id: '00u{f:AA##A#AA####AAAA#}',
    status: 'ACTIVE',
    lastLogin: '2025-03-01T12:00:00.000Z',
    profile: {
      login: '{email}',
      secondEmail: '{email}',
      mobilePhone: '{phone.any}',
      primaryPhone: '{phone.us}',
      employeeNumber: '{f:########}',
      costCenter: '{f:###-##-####}',
    },
    credentials: { provider: { type: 'OKTA', name: 'OKTA' } },
  },
  {
    Report_Entry: [
      {
        Employee_ID: '{f:######}',
        Legal_Name: '{name}',
        Work_Email: '{email}',
        Home_Phone_Number: '{phone.us}',
        National_ID_SSN: '{ssn}',
        Birth_Date: '{dob.iso}',
        Position_ID: 'P-{f:#####}',
        Cost_Center: '{f:#####}',
        Supervisory_Org_ID: '{f:########}',
      },
    ],
  },
  {
    resourceType: 'Patient',
    id: '{f:########}',
    meta: { versionId: '3' },
    identifier: [
      { system: 'http://hl7.org/fhir/sid/us-ssn', value: '{ssn}' },
      { type: { coding: [{ code: 'MR' }] }, system: 'urn:oid:1.2.36.146.595.217.0.1', value: '{f:########}' },
    ],
    telecom: [
      { system: 'phone', value: '{phone.us}', use: 'home' },
      { system: 'email', value: '{email}' },
    ],
    birthDate: '{dob.iso}',
    gender: 'female',
  },
  {
    resourceType: 'Practitioner',
    identifier: [{ system: 'http://hl7.org/fhir/sid/us-npi', value: '{f:1#########}' }],
    telecom: [{ system: 'fax', value: '{phone.us}' }],
    qualification: [{ identifier: [{ value: 'MD{f:######}' }] }],
  },
  {
    PID: {
      'PID.3': '{f:#######}^^^HOSP^MR',
      'PID.7_DateOfBirth': '{dob.iso}',
      'PID.13_PhoneNumberHome': '{phone.us}',
      'PID.19_SSNNumber': '{ssn}',
    },
    MSH: { controlId: '{f:##########}', version: '2.5.1' },
  },
  {
    Document: {
      CstmrCdtTrfInitn: {
        GrpHdr: { MsgId: 'MSG-{f:##########}', CreDtTm: '2025-01-10T10:00:00', NbOfTxs: '1', CtrlSum: '1250.00' },
        PmtInf: {
          DbtrAcct: { Id: { IBAN: '{iban.plain}' } },
          CdtrAcct: { Id: { IBAN: '{iban.plain}' } },
          CdtrAgt: { FinInstnId: { BICFI: 'DEUTDEFF500' } },
          EndToEndId: 'E2E{f:############}',
          RmtInf: { Ustrd: 'Invoice {f:######}' },
        },
      },
    },
  },
  {
    accounts: [
      {
        account_id: '{f:AAA#AAAA##AAAA}',
        mask: '{f:####}',
        iban: '{iban.plain}',
        routing: '{f:#########}',
        balances: { available: 1100.5 },
      },
    ],
    owners: [
      {
        emails: [{ data: '{email}', primary: true, type: 'primary' }],
        phone_numbers: [{ data: '{phone.us}', type: 'mobile' }],
        names: ['{name}'],
      },
    ],
    request_id: '{f:AA##AAA##AA}',
  },
  {
    kunde: {
      kundennummer: '{f:########}',
      nachname: '{last}',
      vorname: '{first}',
      geburtsdatum: '{dob.eu}',
      telefonnummer: '{phone.de}',
      mobilnummer: '{phone.de}',
      faxnummer: '{phone.de}',
      emailadresse: '{email}',
      bankverbindung: { iban: '{iban}', bic: 'COBADEFFXXX' },
      postleitzahl: '{f:#####}',
      rechnungsnummer: 'RE-{f:######}',
      auftragsnummer: '{f:##########}',
    },
  },
  {
    mitarbeiter: [
      {
        personalnummer: '{f:######}',
        dienstliche_email: '{email}',
        privatTelefon: '{phone.de}',
        handynummer: '{phone.de}',
        kostenstelle: '{f:####}',
        geburtstag: '{dob.iso}',
        kreditkartennummer: '{card.plain}',
        bestellnummer: '{f:##########}',
      },
    ],
  },
  {
    client: {
      numero_client: '{f:########}',
      adresse_courriel: '{email}',
      telephone_portable: '{phone.fr}',
      telephone_fixe: '{phone.fr}',
      date_de_naissance: '{dob.uk}',
      compte_bancaire: '{iban.plain}',
      code_postal: '{f:#####}',
      numero_commande: '{f:##########}',
      siret: '{f:##############}',
    },
  },
  {
    usager: {
      courriel: '{email}',
      noTelephone: '{phone.fr}',
      dateNaissance: '{dob.iso}',
      numeroPasseport: '{passport}',
      numeroFacture: '{f:########}',
      carteBancaire: '{card.plain}',
    },
  },
  {
    cliente: {
      id_cliente: '{f:#######}',
      correo_electronico: '{email}',
      telefono_movil: '{phone.es}',
      telefonoFijo: '{phone.es}',
      dni: '{nid.es}',
      fecha_nacimiento: '{dob.uk}',
      tarjeta_credito: '{card.plain}',
      codigo_postal: '{f:#####}',
      numero_pedido: '{f:##########}',
      cuenta: '{iban.plain}',
    },
  },
  {
    anagrafica: {
      codice_cliente: '{f:######}',
      indirizzo_email: '{email}',
      cellulare: '{phone.it}',
      telefono_casa: '{phone.it}',
      data_di_nascita: '{dob.uk}',
      numero_carta: '{card.plain}',
      partita_iva: '{f:###########}',
      numero_fattura: '{f:####/##}',
      cap: '{f:#####}',
    },
  },
  {
    utilizador: {
      endereco_email: '{email}',
      telemovel: '{phone.pt}',
      telefone: '{phone.pt}',
      data_nascimento: '{dob.iso}',
      codigo_postal: '{f:####-###}',
      numero_encomenda: '{f:##########}',
    },
  },
  {
    cadastro: {
      cpf: '{nid.br}',
      celular: '{phone.br}',
      email: '{email}',
      data_de_nascimento: '{dob.uk}',
      cep: '{f:#####-###}',
      pedido_id: '{f:########}',
      cnpj: '{f:##############}',
    },
  },
  {
    klant: {
      klantnummer: '{f:########}',
      emailadres: '{email}',
      telefoonnummer: '{phone.nl}',
      mobiel: '{phone.nl}',
      geboortedatum: '{dob.iso}',
      bsn: '{nid.nl}',
      rekeningnummer: '{iban.plain}',
      postcode: '1012 AB',
      bestelnummer: '{f:##########}',
    },
  },
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

const TABLES = [
  'id,full_name,email_address,phone_number,order_no,last_ip\n{f:##########},{name},{email},{phone.us},{f:##########},{ip}\n{f:##########},{name},{email},{phone.us},{f:##########},{ip}\n',
  'EmpNo\tSSN\tDOB\tPersonalEmail\tCell\tDeptCode\n{f:######}\t{ssn}\t{dob.us}\t{email}\t{phone.us}\t{f:###-##-####}\n{f:######}\t{ssn}\t{dob.us}\t{email}\t{phone.us}\t{f:###-##-####}\n',
  'Kundennr;Telefon;E-Mail;IBAN;Rechnungsnr\n{f:########};{phone.de};{email};{iban.plain};{f:########}\n{f:########};{phone.de};{email};{iban.plain};{f:########}\n',
  '| Ticket | Reporter | Callback | Amount |\n|---|---|---|---|\n| {f:#######} | {email} | {phone.us} | 1,250.00 |\n| {f:#######} | {email} | {phone.gb} | 99.00 |\n',
  'txn_id,pan,amount,currency,merchant_id,mcc\n{f:##############},{card.plain},12.50,USD,{f:###############},{f:####}\n{f:##############},{card.plain},99.10,USD,{f:###############},{f:####}\n',
  'nom;prenom;telephone;courriel;no_dossier\n{last};{first};{phone.fr};{email};{f:##########}\n{last};{first};{phone.fr};{email};{f:##########}\n',
  'isbn,title,upc,qty,updated\n{f:978##########},Dune,{f:############},{int:1-99},1712345678\n{f:978##########},Emma,{f:############},{int:1-99},1712345679\n',
  'patient_id,npi,mrn,phone_home,ssn,visit_ts\n{f:########},{f:1#########},{f:##########},{phone.us},{ssn.plain},1712345678\n{f:########},{f:1#########},{f:##########},{phone.us},{ssn.plain},1712345679\n',
  'First Name: {first}\nLast Name: {last}\nPhone: {phone.us}\nEmail: {email}\nSSN: {ssn}\nOrder ID: {f:##########}\nMember ID: {f:#########}\n',
];

export const STRUCTURED = [...RECORDS.map((record) => JSON.stringify(record)), ...TABLES];
