import type { receipts as pattern } from '../en/receipts.ts';

export const receipts: typeof pattern = {
  receipts: {
    title: (investor) => `Belege zur Anfrage von ${investor}`,
    lead: 'Jede Änderung der Anfrage hat einen Beleg hinterlassen, den dieser Dienst signiert hat. Der Investor bekommt dieselben. Jeder nennt den vorigen, damit keiner unbemerkt geändert oder entfernt werden kann.',
    none: 'Es gibt noch keine Belege',
    waits: 'Der nächste Beleg ist noch nicht signiert. Er erscheint, sobald er es ist.',
    chain: 'Die Belege, der älteste zuerst',
    asked: 'Gefragt nach',
    reads: 'Darf lesen',
    until: 'Bis',
    afterwards: 'Stand danach',
    late: 'Später signiert, am',
    signedText: 'Was signiert wurde',
    download: 'Alle Belege als Datei sichern',
    fileTitle: 'Eine Datei prüfen',
    fileHint:
      'Ihr Browser prüft sie hier. Nichts wird gesendet, und die Datei darf zu jeder Anfrage an diesen Dienst gehören.',
    file: 'Eine Datei mit Belegen',
    pasted: 'Oder ihr Text',
    check: 'Prüfen',
    elsewhereTitle: 'Ohne diese Seite prüfen',
    elsewhere:
      'Sichern Sie die Belege und lassen Sie sie von einem Programm prüfen, dem Sie vertrauen. Dies ist der Befehl von Portfolio Access; dessen Dokumentation beschreibt das Format und wie man es ganz ohne uns prüft.',
    noScript:
      'Ihr Browser führt hier keine Skripte aus und kann die Belege deshalb nicht prüfen. Wie Sie ohne diese Seite prüfen, steht unten.',
    request: 'Anfrage',
    company: 'Unternehmen',
    investor: 'Investor',
    last: 'Letzter Beleg',
    verdicts: {
      checking: ['Ihr Browser prüft…', ''],
      valid: [
        'Von Ihrem Browser geprüft',
        'Dieser Dienst hat jeden Beleg genau so signiert, wie er hier steht, und dazwischen fehlt keiner.',
      ],
      file: [
        'Von Ihrem Browser geprüft',
        'Dieser Dienst hat jeden Beleg der Datei signiert, und dazwischen fehlt keiner.',
      ],
      invalid: [
        'Verlassen Sie sich nicht auf diese Belege',
        'Ihr Browser hat gefunden, dass etwas nicht stimmt:',
      ],
      failed: [
        'Ihr Browser konnte nicht prüfen',
        'Er ist zu alt für diese Art von Signatur (Ed25519), oder die Schlüssel ließen sich nicht laden. Laden Sie die Seite neu, verwenden Sie einen neueren Browser, oder prüfen Sie ohne diese Seite, wie unten beschrieben.',
      ],
      choose: ['Es gibt nichts zu prüfen', 'Wählen Sie eine Datei, oder fügen Sie ihren Text ein.'],
    },
    ends: {
      complete: (time) => `Alle, die es am ${time} gab, sind da.`,
      awaitsSignature: (time) =>
        `Alle, die es am ${time} gab, sind da, bis auf eine Änderung, deren Beleg noch nicht signiert war.`,
      moreCame: (time, count) =>
        `Alle, die es am ${time} gab, sind da, und spätere (${count}). Ob dies die letzten sind, hat niemand signiert.`,
      unlessMoreCame:
        'Sie sind vollständig, wenn nicht noch welche kamen: Niemand hat signiert, welcher der letzte ist. Vergleichen Sie ihn mit der Anfrage.',
    },
    mark: 'geprüft',
    badMark: 'falsch',
    place: 'Beleg',
    reasons: {
      changed: 'Etwas darin wurde nach dem Signieren geändert.',
      malformed:
        'Er ist nicht so geschrieben wie ein Beleg: Er wurde geändert, oder ist etwas anderes.',
      unknownKey: 'Der Schlüssel, der ihn signiert hat, ist keiner dieses Dienstes.',
      unusableKey: 'Die Schlüssel dieses Dienstes sind nicht zu gebrauchen.',
      newer: 'Er hat eine neuere Form, als diese Seite kennt.',
      otherId: 'Seine Nummer ist nicht die, die signiert wurde.',
      empty: 'Es ist kein Beleg da.',
      otherRequest: 'Er gehört zu einer anderen Anfrage als der erste.',
      twice: 'Er, oder ein anderer derselben Änderung, war schon da.',
      missing: 'Davor fehlt ein Beleg, oder die Reihenfolge ist eine andere.',
      newest: 'Die neuesten Belege fehlen.',
      otherHead: 'Was über ihr Ende signiert wurde, gehört zu anderen Belegen.',
    },
  },
};
