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
  optional: 'freiwillig',

  roleNote: (own, needed) =>
    `Ihre Rolle ist ${own}. Dies braucht die Rolle ${needed}: Fragen Sie einen Admin Ihrer Organisation.`,

  nav: {
    label: 'Seiten',
    portfolio: 'Portfolio',
    compare: 'Vergleich',
    requests: 'Anfragen',
    reads: 'Was wir\u00a0lesen',
    inbox: 'Eingang',
    grants: 'Geteilt',
    activity: 'Wer hat\u00a0gelesen',
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
    text: 'Ein Link außerhalb dieses Dienstes hat Sie hierher geführt. Unternehmen sehen, wenn Sie ihre Zahlen öffnen.',
    continue: 'Weiter',
  },
  errors: {
    home: 'Zum Eingang',
    notFoundTitle: 'Nicht gefunden',
    notFound: 'Unter dieser Adresse gibt es nichts, oder es gehört nicht zu Ihrem Unternehmen.',
    forbiddenTitle: 'Dieses Formular kam nicht von unserer Seite',
    forbidden:
      'Es wurde nichts geändert. Öffnen Sie die Seite neu und senden Sie das Formular von dort.',
    deniedTitle: 'Das wird nicht mit Ihnen geteilt',
    denied:
      'Es wurde nie freigegeben, oder ist es nicht mehr. Die Seite der Anfrage sagt, wie es steht.',
    roleTitle: 'Ihre Rolle darf das nicht',
    role: 'Es wurde nichts geändert. Das Menü nennt Ihre Rolle; bitten Sie einen Admin Ihrer Organisation um eine, die es darf.',
    otherOrganisationTitle: 'Sie handeln inzwischen für jemand anderen',
    otherOrganisation: (name) =>
      `Es wurde nichts geändert. Das Formular gehörte zu einer anderen Organisation, und Sie handeln jetzt für ${name}. Wählen Sie die andere wieder aus und öffnen Sie dann ihre Seite neu.`,
    otherSide: (name) =>
      `Sie handeln für ${name}, und diese Seite gehört zur anderen Seite: Unternehmen entscheiden, Investoren lesen.`,
    tooManyTitle: 'Etwas langsamer, bitte',
    tooMany: 'Es kamen zu viele Anfragen in kurzer Zeit. Warten Sie eine Minute und laden Sie neu.',
    unavailableTitle: 'Wir können gerade nicht antworten',
    unavailable:
      'Etwas, das wir brauchen, antwortet nicht. Öffnen Sie die Seite gleich noch einmal, und sehen Sie nach, wie es steht, bevor Sie ein Formular erneut senden.',
    badTitle: 'Das verstehen wir nicht',
    bad: 'Ein Feld des Formulars oder die Adresse hat einen unmöglichen Wert. Gehen Sie zurück und versuchen Sie es noch einmal.',
    tooLargeTitle: 'Das ist zu groß',
    tooLarge: 'Es wurde nichts geändert. Senden Sie weniger auf einmal.',
    internalTitle: 'Etwas ist kaputtgegangen',
    internal:
      'Es liegt an uns und wurde notiert. Versuchen Sie es noch einmal; bleibt es so, nennen Sie uns diese Nummer:',
    request: (id) => `Anfrage ${id}`,
  },
};
