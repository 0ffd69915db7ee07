import { linkMinutes } from '#core';
import type { signIn as pattern } from '../en/sign-in.ts';

export const signIn: typeof pattern = {
  signIn: {
    title: 'Anmelden',
    lead: 'Unternehmen entscheiden hier, wer ihre Daten liest, und sehen, wer es getan hat. Investoren lesen, was mit ihnen geteilt ist.',
    email: 'Ihre E-Mail-Adresse',
    send: 'Link zusenden',
    hint: 'Wir senden einen Link, der Sie anmeldet. Ein Passwort gibt es nicht.',
    sentTitle: 'Sehen Sie in Ihre Post',
    sent: (email) =>
      `Wenn unter ${email} jemand für ein Unternehmen oder einen Investor handelt, ist ein Link unterwegs. Er gilt einmal und ${linkMinutes} Minuten lang.`,
    noMailTitle: 'Ein Link kann nicht zugesandt werden',
    noMail:
      'Dieser Dienst versendet keine E-Mails und kann Ihnen deshalb keinen Link zum Anmelden senden. Fragen Sie den Betreiber: Er kann einen für Sie erzeugen, mit dem Befehl „desk link“.',
    notCome:
      'Nichts angekommen? Sehen Sie im Spam-Ordner nach, und ob Sie unter dieser Adresse eingeladen wurden. Auch der Betreiber dieses Dienstes kann einen Link erzeugen.',
    again: 'Andere Adresse verwenden',
    invalidEmail: 'Das ist keine E-Mail-Adresse. Sie sieht aus wie name@example.com.',
    tooMany: 'Es wurden zu viele Links angefordert. Bitte warten Sie eine Minute.',
    confirmTitle: 'Auf diesem Gerät anmelden',
    confirm:
      'Drücken Sie den Knopf, um sich anzumelden. Wenn Sie keinen Link angefordert haben, schließen Sie diese Seite: Es ist nichts geschehen.',
    confirmButton: 'Anmelden',
    deadTitle: 'Dieser Link gilt nicht mehr',
    dead: `Ein Link gilt einmal und ${linkMinutes} Minuten lang. Fordern Sie einen neuen an.`,
    newLink: 'Neuen Link anfordern',
    signedOut: 'Sie sind abgemeldet.',
    ended: 'Sie sind nicht angemeldet. Melden Sie sich an, um fortzufahren.',
    provider: (name) => `Mit ${name} anmelden`,
    orLink: 'Oder mit einem Link',
  },

  provider: {
    again: 'Noch einmal versuchen',
    other: 'Anderes Konto verwenden',
    back: 'Zurück zur Anmeldung',
    declinedTitle: 'Sie sind nicht angemeldet',
    declined: (name) => `${name} hat Sie nicht angemeldet. Hier ist nichts geschehen.`,
    outdatedTitle: 'Dieser Versuch gilt nicht mehr',
    outdated:
      'Er liegt zu lange zurück, begann in einem anderen Browser oder ist schon abgeschlossen. Bitte melden Sie sich noch einmal an.',
    invalidTitle: 'Die Anmeldung ist nicht gelungen',
    invalid: (name) =>
      `Der Antwort von ${name} ist so nicht zu trauen, deshalb sind Sie nicht angemeldet. Wenn es wieder geschieht, sagen Sie es dem Betreiber dieses Dienstes.`,
    unreachableTitle: 'Die Anmeldung ist gerade nicht möglich',
    unreachable: (name) =>
      `${name} antwortet nicht. Bitte versuchen Sie es in einer Minute wieder.`,
    noEmailTitle: 'Ihr Konto hat keine Adresse',
    noEmail: (name) =>
      `${name} sendet keine E-Mail-Adresse (den Claim „email“), und an ihr erkennen wir Sie. Fragen Sie, wer Ihr Konto verwaltet.`,
    unverifiedTitle: 'Ihre Adresse ist nicht bestätigt',
    unverified: (name, email) =>
      `${name} sagt, dass ${email} nicht als Ihre Adresse bestätigt ist. Bitten Sie, wer Ihr Konto verwaltet, sie zu bestätigen.`,
    emailUnverifiedTitle: 'Ihre Adresse lässt sich nicht prüfen',
    emailUnverified: (name, email) =>
      `${name} sagt nicht, ob ${email} Ihre Adresse ist: Der Claim „email_verified“ fehlt. Sagen Sie es dem Betreiber dieses Dienstes.`,
    noContactTitle: 'Kein Zugang für diese Adresse',
    noContact: (email) =>
      `Für ${email} gibt es keinen Zugang. Melden Sie sich mit der Adresse an, an die Ihre Einladung ging, oder bitten Sie jemanden aus Ihrem Haus, diese einzutragen.`,
  },

  companies: {
    title: 'Für wen handeln Sie?',
    lead: 'Ihre Adresse ist Kontakt mehrerer Organisationen.',
    kinds: { company: 'Unternehmen', investor: 'Investor' },
    open: (company) => `${company} öffnen`,
  },

  sessions: {
    title: 'Wo Sie angemeldet sind',
    lead: 'Wenn Sie eine davon nicht kennen, beenden Sie sie. Wer sie benutzt, ist beim nächsten Klick draußen.',
    unknown: 'Unbekannter Browser',
    current: 'diese hier',
    device: 'Browser',
    since: 'Seit',
    lastUsed: 'Zuletzt benutzt',
    until: 'Bis',
    way: 'Wie',
    end: 'Beenden',
    endOf: (device) => `Beenden: ${device}`,
    endOthers: 'Alle anderen beenden',
    ended: 'Beendet. Sie kann nicht mehr benutzt werden.',
    alone: 'Sie sind nirgends sonst angemeldet.',
  },
};
