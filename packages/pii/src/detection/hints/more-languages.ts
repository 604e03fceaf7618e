/** Keys in other scripts and languages, without case and separators. */
export const KEYS_OF_LANGUAGES = {
  PHONE: `電話 電話番号 携帯 携帯電話 携帯番号 手机 手机号 手机号码 电话 电话号码 联系电话 手機 電話號碼 전화 전화번호 휴대폰 휴대폰번호 휴대전화 연락처
    फोन फ़ोन मोबाइल दूरभाष هاتف الهاتف رقمالهاتف جوال الجوال رقمالجوال телефон телефоны мобильный номертелефона мобильныйтелефон
    telefonnr numertelefonu komorka cep ceptelefonu telefonu telefonnumer mobilnr recapitotelefonico
    telefonnr tlfnr puhelin puhelinnumero matkapuhelin telefonnicislo telefonnecislo номертелефону мобільний telefonszam mobilszam numartelefon numardetelefon
    τηλεφωνο κινητο sodienthoai nomortelepon telepon nohp`,
  EMAIL: `メール メールアドレス 邮箱 电子邮件 电子邮箱 電子郵件 이메일 전자우편 ईमेल البريدالإلكتروني بريدإلكتروني почта электроннаяпочта имейл eposta epost sahkoposti епошта електроннапошта`,
  NAME: `氏名 お名前 名前 姓名 姓 名 フリガナ 真实姓名 聯絡人 联系人 收件人 이름 성명 성함 고객명 नाम पूरानाम الاسم اسم الاسمالكامل фио имя фамилия отчество
    imie nazwisko imieinazwisko soyad soyadi adsoyad adisoyadi fornamn efternamn nombreyapellidos nomecognome
    fornavn efternavn etternavn mellemnavn mellomnavn fuldenavn fulltnavn etunimi sukunimi kokonimi krestnijmeno prijmeni celejmeno priezvisko krstnemeno імя прізвище
    побатькові піб keresztnev vezeteknev teljesnev prenume numefamilie ονομα επωνυμο ονοματεπωνυμο hovaten namalengkap namadepan namabelakang prezime`,
  BARE_NAME: `ad adi namn nome nombrecliente titular intestatario naam navn nimi jmeno meno ime nama`,
  ADDRESS: `住所 自宅住所 地址 住址 收货地址 详细地址 주소 도로명주소 배송지 पता العنوان عنوان адрес адресдоставки адреспроживания
    adresi evadresi adress hemadress gatuadress bostadsadress adreszamieszkania ulica woonadres postadres direccionpostal
    osoite katuosoite kotiosoite adresa bydliste адреса lakcim διευθυνση diachi alamat`,
  DATE_OF_BIRTH: `生年月日 誕生日 出生日期 生日 생년월일 생일 जन्मतिथि जन्मदिन تاريخالميلاد датарождения деньрождения
    dataurodzenia dogumtarihi fodelsedatum datadinascita fechanacimiento fechadenacimiento
    fødselsdato fodselsdato foedselsdato fødselsdag syntymaaika syntymapaiva datumnarozeni datumnarodenia датанародження деньнародження szuletesidatum datanasterii
    ημερομηνιαγεννησης ngaysinh tanggallahir datumrodjenja`,
  NATIONAL_ID: `マイナンバー 個人番号 身份证 身份证号 身份证号码 身分證字號 주민등록번호 आधार आधारनंबर आधारसंख्या رقمالهوية الهويةالوطنية инн снилс
    tckimlikno kimlikno tckn personnr`,
  PASSPORT:
    'パスポート パスポート番号 旅券番号 护照 护照号 护照号码 護照號碼 여권번호 паспорт номерпаспорта رقمجوازالسفر paszport pasaportno',
  CREDIT_CARD:
    'カード番号 クレジットカード番号 卡号 信用卡号 银行卡号 카드번호 номеркарты numerkarty kartno kartnummer',
};
