/** The type that a key or a word near a value indicates. `OTHER` is not personal data. */
export type Hint =
  | 'PHONE'
  | 'EMAIL'
  | 'SSN'
  | 'CREDIT_CARD'
  | 'IP'
  | 'IBAN'
  | 'MAC'
  | 'DATE_OF_BIRTH'
  | 'PASSPORT'
  | 'NATIONAL_ID'
  | 'OTHER';

/** Words of running text in several languages, in lower case. */
const WORDS: Readonly<Record<Hint, string>> = {
  PHONE: `phone phones telephone telephones tel tele cell cellphone cellular mobile mob handset landline fax telefax hotline
    helpline call calls called calling callback dial dialed dialing ring rang text texting texted sms whatsapp viber signal
    telegram wechat contact contacts reach reached reachable answer answering voicemail pager desk office direct switchboard
    extension ph mbl cel fon phn telno phoneno mobileno msisdn message messages messaging imessage facetime home work emergency venmo zelle
    telefon telefonnummer handy handynummer mobil mobilnummer festnetz rufnummer rückruf rückrufnummer rückfragen anruf anrufen durchwahl téléphone telephone portable
    tél télé numéro appeler appelez joindre fixe télécopie teléfono telefono móvil movil celular llamar llame llámame llámeme llámenos fijo kom komórka erreichbar
    cellulare chiamare chiama chiami chiamami chiamatemi richiami richiamami recapito telefone telemóvel telemovel ligar ligue tlf tfno telefoon telefoonnummer mobiel bellen bel
    telefonu telefonnr mobilnr puhelin puhelinnumero matkapuhelin komórka komórkowy numer zadzwoń тел телефон мобильный
    звоните 電話 电话 手机 携帯 전화 휴대폰 هاتف جوال टेलीफोन मोबाइल फ़ोन`,
  EMAIL: 'email emails mail mailto correo courriel',
  SSN: 'ssn ssns soc social socialsecurity itin tin taxpayer ss# ss',
  CREDIT_CARD: `card cards creditcard debit visa mastercard master amex americanexpress discover diners jcb maestro unionpay mir
    rupay cc ccn pan carte kreditkarte karte kartennummer kreditkartennummer tarjeta carta cartão cartao kaart kreditkort kort
    karta карта カード 卡号 信用卡`,
  IP: 'ip ips ipv4 ipv6 ipaddress ipaddr host client addr inet inet6 peer visitor remote gateway dns nameserver',
  IBAN: 'iban ibans bic swift kontonummer',
  MAC: 'mac hwaddr ether bssid wlan lladdr hardware',
  DATE_OF_BIRTH: `dob born birth birthday birthdate dateofbirth bday geboren geburtsdatum geburtstag naissance né née
    nacimiento nacido nacida nació naci nací nasceu nasci nascita nato nata nacque nascimento nascido geboortedatum född fødselsdato syntynyt urodzenia urodzony
    рождения 生年月日 出生`,
  PASSPORT:
    'passport passports passeport reisepass pasaporte passaporto passaporte paspoort paszport паспорт パスポート',
  NATIONAL_ID: `nino insurance nhs nif nie dni cpf cnpj pesel bsn burgerservicenummer aadhaar aadhar sin tfn abn medicare
    codice fiscale steuer steueridentifikationsnummer steuernummer idnr insee nir sécu hetu henkilötunnus
    personnummer fødselsnummer cpr ahv avs nric fin curp rfc rut cedula cédula tckn kimlik identity citizen resident
    national rrn hkid egn cnp oib jmbg rodné`,
  OTHER: `order orders invoice invoices ticket tickets tracking shipment parcel awb reference ref sku skus part isbn issn ean upc
    asin gtin serial version versions release build revision commit sha hash id ids uuid guid case po zip zipcode postcode
    postal plz pin otp code codes batch lot model item product article art catalog catalogue cat imei imsi iccid account acct
    routing sort aba port ports pid process thread transaction txn trx trace request session page pages pp doi pmid arxiv
    range ranges meeting passcode volume vol issue issues chapter section line lines row rows column size bytes width height length count total sum
    amount price cost usd eur gbp dollars euros budget revenue population score points timestamp epoch unix time date since
    until year years lat lon lng latitude longitude coordinates coord offset flight booking reservation confirmation oid
    npi mrn dea clia duns ein ndc icd cpt license licence vin plate registration policy claim member membership loyalty meter patent protocol cve bug pr
    bestellnummer rechnung rechnungsnummer auftrag kundennummer commande facture pedido factura fattura ordine zamówienia zamówienie faktury zlecenia beställning
    bestelling siparişi sipariş fatura заказа заказ счёт счет`,
};

/** Types by word in lower case. A word of two types has the first. */
export const HINT_WORDS: ReadonlyMap<string, Hint> = new Map(
  (Object.entries(WORDS) as [Hint, string][])
    .flatMap(([hint, words]) => words.split(/\s+/).map((word): [string, Hint] => [word, hint]))
    .reverse(),
);

/** Letters that indicate a phone in signatures before a colon or point: "M: 07700 900123". */
export const PHONE_LETTERS: ReadonlySet<string> = new Set(['t', 'm', 'p', 'f', 'c', 'o', 'h', 'w', 'd']);

/** Names of months. */
export const MONTHS: ReadonlySet<string> = new Set(
  'jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september october november december'.split(
    ' ',
  ),
);
