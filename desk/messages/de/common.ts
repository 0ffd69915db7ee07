import type { common as pattern } from '../en/common.ts';

export const common: typeof pattern = {
  name: 'Deutsch',
  direction: 'ltr',
  product: 'Portfolio Access',
  skip: 'Zum Inhalt springen',
  language: 'Sprache',
  change: 'Ändern',
  back: 'Zurück',
  cancel: 'Abbrechen',
  more: 'Ältere',
  newest: 'Neueste',
  show: 'Anzeigen',
  never: 'nie',
  all: 'Alle',
  until: 'Bis',
  status: 'Status',
  asked: 'Angefragt',
  expires: 'Verfällt',
  investor: 'Investor',
  company: 'Unternehmen',
  nothingChanged: 'Es wurde nichts geändert',
  what: 'Was',
  when: 'Wann',
  since: 'Seit',
  lastUsed: 'Zuletzt verwendet',
  save: 'Speichern',
  continue: 'Weiter',
  optional: 'optional',

  roleNote: (own, needed) =>
    `Ihre Rolle ist ${own}. Hierfür brauchen Sie die Rolle ${needed}. Wenden Sie sich an einen Admin Ihrer Organisation.`,

  nav: {
    label: 'Seiten',
    portfolio: 'Portfolio',
    compare: 'Vergleich',
    requests: 'Anfragen',
    reads: 'Unsere Abrufe',
    inbox: 'Eingang',
    grants: 'Geteilt',
    activity: 'Abrufe',
    data: 'Ihre Daten',
    settings: 'Einstellungen',
    menu: 'Konto',
    sessions: 'Wo Sie angemeldet sind',
    switchOrganisation: 'Organisation wechseln',
    signOut: 'Abmelden',
    signedInAs: (email) => `Angemeldet als ${email}`,
  },

  live: {
    changed: 'Diese Seite hat sich geändert.',
    reload: 'Neu laden',
  },

  fromOtherSite: {
    title: 'Zahlen öffnen?',
    text: 'Ein Link außerhalb dieses Dienstes hat Sie hierher geführt. Wenn Sie fortfahren, sehen die Unternehmen, dass Sie ihre Zahlen geöffnet haben.',
  },
  errors: {
    home: 'Zur Startseite',
    notFoundTitle: 'Nicht gefunden',
    notFound: 'Diese Seite gibt es nicht, oder sie gehört nicht zu Ihrer Organisation.',
    forbiddenTitle: 'Dieses Formular kam nicht von unserer Seite',
    forbidden:
      'Es wurde nichts geändert. Öffnen Sie die Seite neu und senden Sie das Formular von dort.',
    deniedTitle: 'Sie haben hierauf keinen Zugriff',
    denied:
      'Diese Daten sind zurzeit nicht mit Ihnen geteilt. Die Seite Ihrer Anfrage zeigt den Status.',
    roleTitle: 'Ihre Rolle erlaubt das nicht',
    role: 'Es wurde nichts geändert. Bitten Sie einen Admin Ihrer Organisation um eine andere Rolle. Das Menü zeigt Ihre Rolle.',
    otherOrganisationTitle: 'Sie haben die Organisation gewechselt',
    otherOrganisation: (name) =>
      `Es wurde nichts geändert. Das Formular gehört zu einer anderen Organisation, und Sie handeln jetzt für ${name}. Wechseln Sie zurück, und öffnen Sie die Seite neu.`,
    otherSide: (name) =>
      `Sie handeln für ${name}. Diese Seite ist dort nicht verfügbar: Unternehmen entscheiden, Investoren lesen.`,
    tooManyTitle: 'Zu viele Anfragen',
    tooMany: 'Warten Sie eine Minute, und laden Sie die Seite neu.',
    unavailableTitle: 'Dieser Dienst ist gerade nicht verfügbar',
    unavailable:
      'Ein System, das dieser Dienst braucht, antwortet nicht. Laden Sie die Seite gleich noch einmal. Prüfen Sie das Ergebnis, bevor Sie ein Formular noch einmal senden.',
    badTitle: 'Eine Eingabe ist ungültig',
    bad: 'Ein Feld des Formulars oder ein Teil der Adresse ist ungültig. Gehen Sie zurück und versuchen Sie es noch einmal.',
    tooLargeTitle: 'Das ist zu groß',
    tooLarge: 'Es wurde nichts geändert. Senden Sie weniger auf einmal.',
    internalTitle: 'Etwas ist schiefgegangen',
    internal:
      'Der Fehler liegt bei uns und wurde protokolliert. Versuchen Sie es noch einmal. Wenn er wieder auftritt, senden Sie uns diese Nummer:',
    request: (id) => `Anfrage ${id}`,
  },
};
