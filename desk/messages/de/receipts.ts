import type { receipts as pattern } from '../en/receipts.ts';

export const receipts: typeof pattern = {
  receipts: {
    title: (investor) => `Belege zur Anfrage von ${investor}`,
    lead: 'Jede Änderung der Anfrage hat einen Beleg, den dieser Dienst signiert hat. Der Investor bekommt dieselben Belege. Jeder Beleg nennt den vorigen. So fällt auf, wenn ein Beleg geändert wurde oder fehlt.',
    none: 'Noch keine Belege',
    waits: 'Der nächste Beleg ist noch nicht signiert. Er erscheint, sobald er signiert ist.',
    chain: 'Die Belege, der älteste zuerst',
    asked: 'Angefragt',
    approvals: 'Genehmigungen',
    afterwards: 'Status danach',
    late: 'Später signiert, am',
    signedText: 'Signierter Inhalt',
    download: 'Alle Belege als Datei speichern',
    fileTitle: 'Eine Datei prüfen',
    fileHint:
      'Ihr Browser prüft die Datei und sendet sie nirgendwohin. Die Datei kann zu jeder Anfrage an diesen Dienst gehören.',
    file: 'Eine Datei mit Belegen',
    pasted: 'Oder fügen Sie den Text der Datei ein',
    check: 'Prüfen',
    elsewhereTitle: 'Ohne diese Seite prüfen',
    elsewhere:
      'Speichern Sie die Belege, und prüfen Sie sie mit einem Programm, dem Sie vertrauen. Dies ist der Befehl von Portfolio Access. Dessen Dokumentation beschreibt das Format und die Prüfung ohne unsere Software.',
    noScript:
      'JavaScript ist ausgeschaltet, deshalb kann Ihr Browser die Belege nicht prüfen. Wie Sie ohne diese Seite prüfen, steht unten.',
    request: 'Anfrage',
    company: 'Unternehmen',
    investor: 'Investor',
    last: 'Letzter Beleg',
    verdicts: {
      checking: ['Ihr Browser prüft…', ''],
      valid: [
        'Von Ihrem Browser geprüft',
        'Dieser Dienst hat jeden Beleg so signiert, wie er hier steht, und dazwischen fehlt keiner.',
      ],
      file: [
        'Von Ihrem Browser geprüft',
        'Dieser Dienst hat jeden Beleg der Datei signiert, und dazwischen fehlt keiner.',
      ],
      invalid: [
        'Verlassen Sie sich nicht auf diese Belege',
        'Ihr Browser hat ein Problem gefunden:',
      ],
      failed: [
        'Ihr Browser konnte nicht prüfen',
        'Er unterstützt diese Art von Signatur (Ed25519) nicht, oder er konnte die Schlüssel nicht laden. Laden Sie die Seite neu, verwenden Sie einen neueren Browser, oder prüfen Sie ohne diese Seite (siehe unten).',
      ],
      choose: ['Nichts zu prüfen', 'Wählen Sie eine Datei, oder fügen Sie ihren Text ein.'],
    },
    ends: {
      complete: (time) => `Alle Belege bis ${time} sind hier.`,
      awaitsSignature: (time) =>
        `Alle Belege bis ${time} sind hier, außer für eine Änderung, deren Beleg noch nicht signiert ist.`,
      moreCame: (time, count) =>
        `Alle Belege bis ${time} sind hier, und ${count} spätere. Keine Signatur zeigt, ob dies die letzten sind.`,
      unlessMoreCame:
        'Keine Signatur zeigt, welcher Beleg der letzte ist. Vergleichen Sie ihn mit der Anfrage.',
    },
    mark: 'geprüft',
    badMark: 'falsch',
    place: 'Beleg',
    reasons: {
      changed: 'Er wurde nach dem Signieren geändert.',
      malformed: 'Er ist kein gültiger Beleg: Er wurde geändert, oder er ist etwas anderes.',
      unknownKey: 'Er wurde mit einem Schlüssel signiert, der nicht zu diesem Dienst gehört.',
      unusableKey: 'Die Schlüssel dieses Dienstes können nicht verwendet werden.',
      newer: 'Diese Seite unterstützt sein neueres Format noch nicht.',
      otherId: 'Seine ID ist eine andere als die signierte.',
      empty: 'Es ist kein Beleg enthalten.',
      otherRequest: 'Er gehört zu einer anderen Anfrage als der erste.',
      twice: 'Er ist doppelt: Ein früherer Beleg enthält dieselbe Änderung.',
      missing: 'Davor fehlt ein Beleg, oder die Reihenfolge ist falsch.',
      newest: 'Die neuesten Belege fehlen.',
      otherHead: 'Das signierte Ende der Liste gehört zu anderen Belegen.',
    },
  },
};
