import { expect, it } from 'vitest';
import { keyHint } from './keys.ts';

it.each([
  [
    'PHONE',
    'phone1 phone1Number telefonnummer kunden_telefonnummer handynummer Mobilnummer telefonNr2 numero_telephone',
  ],
  ['PHONE', 'numéroDeTéléphone telephonePortable privattelefon telefoonnummer numero_telefono Rufnummer'],
  [
    'EMAIL',
    'kundenEmail kundenemail emailadresse email_2 e-mail kontaktmail Rechnungsemail adresse_email correo_electronico',
  ],
  ['SSN', 'ssn2'],
  ['CREDIT_CARD', 'card_number8 kreditkartennummer Kreditkarte carte_bancaire numeroCarteBancaire carte_de_credit'],
  ['DATE_OF_BIRTH', 'geburtsdatum Geburtstag date_naissance dateDeNaissance fecha_nacimiento geboortedatum'],
  [
    'ADDRESS',
    'addressLine3 strasse Lieferadresse rechnungsanschrift adresse_livraison adresseDeFacturation Wohnadresse',
  ],
  ['ADDRESS_PART', 'hausnummer postleitzahl code_postal ville'],
  ['NATIONAL_ID', 'steuernummer sozialversicherungsnummer numeroSecuriteSociale numero_de_securite_sociale'],
  ['NAME', 'vorname nachname prenom nom_famille nomDeFamille Familienname Kontoinhaber'],
  ['SECRET', 'passwort mot_de_passe Kennwort'],
  ['OTHER', 'rechnungsnummer auftragsnummer artikelnummer numero_commande'],
])('%s: %s', (hint, keys) => {
  for (const key of keys.split(' ')) expect([key, keyHint(key)]).toEqual([key, hint]);
});

it.each(['kundennummer', 'handyvertrag', 'datum', 'nummer', 'mailbox', 'postgres', 'passage', 'benutzer', 'strapi'])(
  'no type: %s',
  (key) => {
    expect(['OTHER', 'NEUTRAL', undefined]).toContain(keyHint(key));
  },
);

it('reads a long key in linear time', () => {
  expect(keyHint('kunden'.repeat(10))).toBeUndefined();
});
