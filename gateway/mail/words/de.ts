import type { MailWords } from './en.ts';

export const de: MailWords = {
  tag: 'de',
  locale: 'de',
  roles: {
    viewer: 'Betrachter',
    approver: 'Entscheider',
    member: 'Mitglied',
    admin: 'Admin',
  },
  scopes: {
    'metrics:read': 'Ihre Kennzahlen mit ihrem Verlauf, etwa Kontostand oder Mitarbeiterzahl',
    'accounts:read': 'Ihre Bank-, Karten- und Buchhaltungskonten mit ihren Salden',
    'sources:read':
      'die Systeme, aus denen Ihre Daten kommen, und wann sie zuletzt geliefert haben',
  },

  request: {
    subject: (investor, company, hasMore) =>
      `${investor} bittet um ${hasMore ? 'mehr ' : ''}Zugriff auf Daten von ${company}`,
    asks: (investor, company) => `${investor} bittet ${company}, Folgendes lesen zu dürfen:`,
    asksMore: (investor, company) =>
      `${investor} hat die Anfrage an ${company} erweitert und möchte nun lesen:`,
    adds: (investor, company) =>
      `${investor} bittet ${company}, zusätzlich Folgendes lesen zu dürfen:`,
    stillReadable: 'Das liest der Investor bereits, auch während Sie entscheiden:',
    choices: (date) =>
      `Sie können alles genehmigen, nur einen Teil genehmigen oder ablehnen. Ohne Antwort bis ${date} verfällt die Anfrage, und nichts wird gezeigt.`,
    choicesOfAddition: (date) =>
      `Sie können alles genehmigen, nur einen Teil genehmigen oder ablehnen. Ohne Antwort bis ${date}, wenn der jetzige Zugriff endet, kommt nichts hinzu.`,
    noPurpose: 'Ein Zweck ist nicht angegeben.',
    purpose: 'Der Zweck in den Worten des Investors:',
    open: 'Anfrage öffnen',
    byApi:
      'Antworten Sie in Ihrem Dashboard oder über die Unternehmens-API mit Ihrem Unternehmensschlüssel:',
    noAnswerByMail:
      'Wer diese E-Mail öffnet oder beantwortet, entscheidet damit nichts. Niemand fragt Sie per E-Mail nach einem Schlüssel oder einem Passwort.',
    origin: (company, id, date) =>
      `Sie erhalten diese E-Mail als Kontakt von ${company}. Anfrage ${id}, ${date}`,
  },

  ending: {
    subject: (investor, company) =>
      `Der Zugriff von ${investor} auf Daten von ${company} endet bald`,
    text: (investor, company, date) =>
      `Am ${date} endet der Zugriff von ${investor} auf Daten von ${company}. Bis dahin liest der Investor:`,
    choices:
      'Soll der Zugriff enden, müssen Sie nichts tun. Sie können ihn auch verlängern oder jetzt beenden.',
  },

  review: {
    subject: (investor, company) =>
      `Soll ${investor} weiter Zugriff auf Daten von ${company} haben?`,
    text: (investor, company, date) =>
      `${investor} hat seit 90 Tagen Zugriff auf Daten von ${company}. Der Zugriff endet am ${date}. Bis dahin liest der Investor:`,
    choices:
      'Soll der Zugriff weitergehen, müssen Sie nichts tun. Sie können ihn auch einschränken oder jetzt beenden.',
  },

  secondApproval: {
    subject: (investor, company) =>
      `Eine zweite Person muss die Anfrage von ${investor} an ${company} genehmigen`,
    text: (investor, company) =>
      `Eine Person bei ${company} hat genehmigt, dass ${investor} Folgendes liest:`,
    choices:
      'Der Zugriff beginnt, wenn eine zweite Person dasselbe genehmigt. Bis dahin liest der Investor nichts Neues.',
  },

  terms: {
    metrics: (names) => `nur diese Kennzahlen: ${names}`,
    from: (date) => `nur Werte für Zeiträume ab dem ${date}`,
    once: 'nur für kurze Zeit: Der Zugriff endet 24 Stunden nach dem ersten Lesen',
  },

  ended: {
    subject: (investor, company) =>
      `Der Zugriff von ${investor} auf Daten von ${company} ist beendet`,
    byTime: (investor, company, date) =>
      `Am ${date} endete der Zugriff von ${investor} auf Daten von ${company}, weil die Zeit abgelaufen war. Der Investor liest nicht mehr:`,
    byInvestor: (investor, company, date) =>
      `Am ${date} hat ${investor} den Zugriff auf Daten von ${company} aufgegeben. Der Investor liest nicht mehr:`,
    todo: 'Sie müssen nichts tun. Um wieder zu lesen, muss der Investor Sie erneut fragen.',
  },

  ways: {
    link: 'Sie melden sich mit dieser Adresse an, über einen Link, den Sie per E-Mail erhalten.',
    provider: (name, orLink) =>
      `Sie melden sich mit ${name} an, mit dem Konto, das diese Adresse hat${orLink ? ', oder über einen Link, den Sie per E-Mail erhalten' : ''}.`,
  },

  invitation: {
    subject: (name) => `Sie sind jetzt Kontakt von ${name}`,
    added: (by, name, role) =>
      `${by === null ? 'Der Betreiber dieses Dienstes' : by} hat Sie bei Portfolio Access als Kontakt von ${name} eingetragen${role === null ? '' : `, mit der Rolle ${role}`}.`,
    ofCompany: (name) =>
      `Dort bitten Investoren darum, Daten von ${name} zu lesen, und die Kontakte entscheiden, wer was wie lange liest. Sie erhalten eine E-Mail, wenn ein Investor fragt.`,
    ofInvestor: (name) =>
      `Dort liest ${name}, was die Unternehmen des Portfolios freigegeben haben, und bittet sie um mehr. Ein Unternehmen sieht, wer seine Daten gelesen hat: auch Ihre Adresse.`,
    noDesk: 'Sie müssen jetzt nichts tun: In jeder E-Mail steht, wie man antwortet.',
    ways: {
      link: 'Um sich umzusehen, öffnen Sie die Seiten von Portfolio Access und geben Sie dort Ihre E-Mail-Adresse an. Sie erhalten per E-Mail einen Link zum Anmelden und brauchen kein Passwort.',
      provider: (name, orLink) =>
        `Um sich umzusehen, öffnen Sie die Seiten und melden Sie sich mit ${name} an, mit dem Konto, das diese Adresse hat${orLink ? ', oder geben Sie diese Adresse an und erhalten Sie einen Link per E-Mail' : ''}.`,
    },
    open: 'Seiten öffnen',
    note: (name) =>
      `Wenn Sie mit ${name} nichts zu tun haben, sagen Sie es dem Betreiber dieses Dienstes. Niemand fragt Sie per E-Mail nach einem Schlüssel oder einem Passwort.`,
  },

  settings: {
    changed: {
      'contact.added': 'Eine Person wurde hinzugefügt',
      'contact.removed': 'Eine Person wurde entfernt',
      'contact.role_changed': 'Die Rolle einer Person wurde geändert',
      'api_key.created': 'Ein API-Schlüssel wurde erzeugt',
      'api_key.rotated': 'Ein API-Schlüssel wurde durch einen neuen ersetzt',
      'company_key.created': 'Ein Unternehmensschlüssel wurde erzeugt',
      'company_key.rotated': 'Ein Unternehmensschlüssel wurde durch einen neuen ersetzt',
      'webhook_endpoint.created': 'Ein Webhook wurde hinzugefügt',
      'webhook_endpoint.changed': 'Ein Webhook wurde geändert',
      'company.approval_rule_changed':
        'Die Anzahl der Personen, die einen Zugriff genehmigen müssen, wurde geändert',
    },
    text: (what, owner, subject) => `${what}, bei ${owner}: ${subject}.`,
    by: (who, date) => `Durch ${who}, am ${date}.`,
    operator: 'den Betreiber dieses Dienstes',
    key: (id) => `den Schlüssel ${id}`,
    todo: 'Wenn Sie diese Änderung erwartet haben, müssen Sie nichts tun. Wenn nicht, hat vielleicht eine unbekannte Person Zugang. Melden Sie sich an, entfernen Sie unbekannte Personen und Webhooks, widerrufen Sie unbekannte Schlüssel, und informieren Sie sofort den Betreiber dieses Dienstes. Das Protokoll der Einstellungen zeigt jede Änderung.',
    open: 'Protokoll öffnen',
    note: (id) => `Änderung ${id}`,
  },

  signIn: {
    subject: 'Ihr Link zum Anmelden bei Portfolio Access',
    text: 'Für diese Adresse wurde ein Link zum Anmelden angefordert, wahrscheinlich von Ihnen. Drücken Sie hier den Knopf und dann den Knopf auf der Seite, die sich öffnet.',
    button: 'Anmelden',
    valid: (minutes) => `Der Link gilt ${minutes} Minuten und funktioniert einmal.`,
    note: 'Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail und leiten Sie den Link nicht weiter.',
  },

  news: {
    digest: (count) => `Ihr Portfolio: Neues von ${count} Unternehmen`,
    digestOfOne: (company) => `Ihr Portfolio: Neues von ${company}`,
    lead: (investor) => `Was im Portfolio von ${investor} geschehen ist:`,
    approved: (company) => `${company} hat Ihre Anfrage genehmigt`,
    extended: (company) => `${company} hat Ihren Zugriff verlängert`,
    until: (text, date) => `${text}. Der Zugriff endet am ${date}`,
    declined: (company) => `${company} hat Ihre Anfrage abgelehnt`,
    revoked: (company) => `${company} hat Ihren Zugriff beendet`,
    narrowed: (company) => `${company} hat Ihren Zugriff eingeschränkt`,
    paused: (company) => `${company} hat Ihren Zugriff unterbrochen`,
    resumed: (company) => `${company} hat Ihren Zugriff wieder freigegeben`,
    ending: (company) => `Ihr Zugriff auf ${company} endet bald`,
    endsOn: (company, date) => `Ihr Zugriff auf ${company} endet am ${date}`,
    ended: (company) => `Ihr Zugriff auf ${company} ist abgelaufen`,
    unanswered: (company) => `${company} hat Ihre Anfrage nicht rechtzeitig beantwortet`,
    corrected: (company) => `${company} hat Zahlen korrigiert`,
    corrections: (company, values, isOne, keys) =>
      `${company} hat ${values} ${isOne ? 'Wert' : 'Werte'} korrigiert: ${keys}`,
    late: (company) => `Daten von ${company} sind verspätet`,
    lateSources: (company, names) => `Daten von ${company} sind verspätet: ${names}`,
    andMore: (shown, count) => `${shown} und ${count} weitere`,
    moreCompanies: (count) => `Und ${count} weitere Unternehmen`,
    open: 'Portfolio öffnen',
    openCompany: 'Unternehmen öffnen',
    origin: (investor) =>
      `Sie erhalten diese E-Mail als Kontakt von ${investor}. Sie enthält keine Zahlen der Unternehmen.`,
    choose: 'Unter „Einstellungen“, „E-Mails“ wählen Sie, welche E-Mails Sie erhalten.',
  },
};
