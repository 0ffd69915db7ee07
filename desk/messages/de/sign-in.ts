import { linkMinutes } from '#core';
import type { signIn as pattern } from '../en/sign-in.ts';

export const signIn: typeof pattern = {
  signIn: {
    title: 'Anmelden',
    lead: 'Unternehmen entscheiden, wer ihre Daten liest, und sehen jeden Abruf. Investoren lesen die Daten, die Unternehmen teilen.',
    email: 'Ihre E-Mail-Adresse',
    send: 'Link zusenden',
    hint: 'Wir senden Ihnen einen Link zum Anmelden. Sie brauchen kein Passwort.',
    sentTitle: 'Prüfen Sie Ihr Postfach',
    sent: (email) =>
      `Wenn ${email} hier Zugang hat, haben wir einen Link gesendet. Er gilt einmal und ${linkMinutes} Minuten lang.`,
    noMailTitle: 'Dieser Dienst versendet keine E-Mails',
    noMail:
      'Wir können Ihnen keinen Link zum Anmelden senden. Bitten Sie den Betreiber dieses Dienstes, einen mit dem Befehl „desk link“ zu erzeugen.',
    notCome:
      'Nichts angekommen? Sehen Sie im Spam-Ordner nach, und prüfen Sie, ob Sie mit dieser Adresse eingeladen wurden. Auch der Betreiber dieses Dienstes kann einen Link erzeugen.',
    again: 'Andere Adresse verwenden',
    invalidEmail: 'Geben Sie eine gültige E-Mail-Adresse ein, zum Beispiel name@example.com.',
    tooMany:
      'Es wurden zu viele Links angefordert. Warten Sie eine Minute, und versuchen Sie es dann noch einmal.',
    confirmTitle: 'Auf diesem Gerät anmelden',
    confirm:
      'Klicken Sie auf die Schaltfläche, um sich anzumelden. Wenn Sie keinen Link angefordert haben, schließen Sie diese Seite.',
    confirmButton: 'Anmelden',
    deadTitle: 'Dieser Link ist abgelaufen',
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
    declined: (name) => `${name} hat Sie nicht angemeldet.`,
    outdatedTitle: 'Diese Anmeldung ist abgelaufen',
    outdated:
      'Sie begann vor zu langer Zeit oder in einem anderen Browser, oder sie ist schon abgeschlossen. Melden Sie sich noch einmal an.',
    invalidTitle: 'Die Anmeldung ist fehlgeschlagen',
    invalid: (name) =>
      `Wir konnten die Antwort von ${name} nicht prüfen. Wenn das wieder geschieht, wenden Sie sich an den Betreiber dieses Dienstes.`,
    unreachableTitle: 'Die Anmeldung ist gerade nicht möglich',
    unreachable: (name) => `${name} antwortet nicht. Versuchen Sie es in einer Minute noch einmal.`,
    noEmailTitle: 'Ihr Konto hat keine Adresse',
    noEmail: (name) =>
      `${name} hat Ihre E-Mail-Adresse nicht gesendet (den Claim „email“). Wenden Sie sich an die Person, die Ihr Konto verwaltet.`,
    unverifiedTitle: 'Ihre Adresse ist nicht bestätigt',
    unverified: (name, email) =>
      `${name} hat nicht bestätigt, dass ${email} Ihre Adresse ist. Bitten Sie die Person, die Ihr Konto verwaltet, sie zu bestätigen.`,
    emailUnverifiedTitle: 'Ihre Adresse lässt sich nicht prüfen',
    emailUnverified: (name, email) =>
      `${name} meldet nicht, ob ${email} bestätigt ist (der Claim „email_verified“). Wenden Sie sich an den Betreiber dieses Dienstes.`,
    noContactTitle: 'Kein Zugang für diese Adresse',
    noContact: (email) =>
      `${email} hat keinen Zugang. Melden Sie sich mit der Adresse Ihrer Einladung an, oder bitten Sie eine Kollegin oder einen Kollegen, diese Adresse hinzuzufügen.`,
  },

  companies: {
    title: 'Organisation wählen',
    lead: 'Ihre Adresse gehört zu mehreren Organisationen.',
    kinds: { company: 'Unternehmen', investor: 'Investor' },
    open: (company) => `${company} öffnen`,
  },

  sessions: {
    lead: 'Kennen Sie eine Sitzung nicht? Dann beenden Sie diese Sitzung. Das wirkt sofort.',
    unknown: 'Unbekannter Browser',
    current: 'diese Sitzung',
    device: 'Browser',
    way: 'Wie',
    end: 'Beenden',
    endOf: (device) => `Beenden: ${device}`,
    endOthers: 'Alle anderen beenden',
    ended: 'Die Sitzung ist beendet.',
    alone: 'Sie sind sonst nirgends angemeldet.',
  },
};
