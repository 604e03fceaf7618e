// Results in the styles of well-known APIs, with values of business next to the personal ones.
import { FORMS } from './forms.mjs';
import { RESULTS } from './results.mjs';

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

export const STRUCTURED = [...[...RESULTS, ...FORMS].map((record) => JSON.stringify(record)), ...TABLES];
