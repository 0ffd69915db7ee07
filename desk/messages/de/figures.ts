import { maxPurposeLength } from '#core';
import type { figures as pattern } from '../en/figures.ts';

export const figures: typeof pattern = {
  figures: {
    portfolio: {
      lead: 'Die Unternehmen Ihres Portfolios. Ein Unternehmen, das Kennzahlen mit Ihnen teilt, sieht jeden Besuch und Ihren Namen.',
      table: 'Unternehmen des Portfolios',
      access: 'Zugriff',
      states: {
        all: 'Alle',
        shared: 'Geteilt',
        late: 'Verspätet',
        waiting: 'Angefragt',
        none: 'Kein Zugriff',
      },
      accesses: {
        none: 'Kein Zugriff',
        pending: 'Angefragt',
        approved: 'Geteilt',
        revoked: 'Widerrufen',
      },
      everything: 'Alles',
      delivered: 'Geliefert',
      usualHint: (day) =>
        `Werte vom ${day}, wenn kein anderes Datum dabeisteht. Die Veränderung bezieht sich auf den vorigen Wert.`,
      sortedByFigures:
        'Beim Sortieren nach einer Kennzahl wird sie bei jedem Unternehmen gelesen, das sie teilt. Jede Währung wird für sich sortiert.',
      search: 'Teil des Namens',
      sort: 'Sortieren nach',
      sorts: {
        access: 'Zugriff',
        company: 'Unternehmen',
        until: 'Ende des Zugriffs',
        delivered: 'Lieferung',
      },
      direction: 'Richtung',
      directions: { asc: 'Aufsteigend', desc: 'Absteigend' },
      metrics: 'Spalten',
      metricsHint: (most) => `Bis zu ${most} Kennzahlen`,
      download: 'Ganze Liste speichern:',
      chooseAll: 'Alle auf dieser Seite auswählen',
      choose: (company) => `${company} auswählen`,
      chosen: 'Ausgewählte Unternehmen:',
      compareChosen: 'Vergleichen',
      severalSent: 'Wir haben die Unternehmen gefragt. Ihre Antworten erscheinen hier.',
      pages: 'Seiten der Liste',
      page: (page, count) => `Seite ${page} von ${count}`,
      previous: 'Zurück',
      next: 'Weiter',
      empty: 'Noch kein Unternehmen',
      emptyHint:
        'Der Betreiber dieses Dienstes fügt Unternehmen zu Ihrem Portfolio hinzu. Sie erscheinen dann hier.',
      noneFound: 'Keine Unternehmen passen zu Ihren Filtern',
      noneFoundHint:
        'Wählen Sie einen anderen Status, oder suchen Sie nach einem anderen Teil des Namens.',
    },
    company: {
      figures: 'Kennzahlen',
      noFigures: 'Es gibt noch keine Kennzahlen.',
      origins: 'Quellen der Kennzahlen',
      signature: 'Signatur',
      unsigned: 'nicht signiert',
      download: 'Alle Verläufe:',
      csv: 'als CSV',
      xlsx: 'für Excel',
      toAccess: 'Status des Zugriffs',
      csvSigned: 'als CSV mit Signaturen',
      csvOf: 'Verlauf als CSV',
      xlsxOf: 'Verlauf für Excel',
      newest: 'Neueste Werte',
      change: 'Veränderung',
      revisionsHint: 'Der berichtigte Wert steht über dem Wert, den er ersetzt hat.',
      about: 'Über diese Kennzahl',
      states: {
        none: {
          title: 'Noch kein Zugriff',
          text: 'Bitten Sie das Unternehmen um Zugriff auf die Daten, die Sie lesen möchten.',
        },
        pending: {
          title: 'Das Unternehmen hat noch nicht entschieden',
          text: 'Seine Kennzahlen erscheinen hier, sobald es zustimmt.',
        },
        approved: {
          title: 'Zurzeit ist nichts geteilt',
          text: 'Daten, die das Unternehmen teilt, erscheinen hier.',
        },
        paused: {
          title: 'Das Unternehmen hat den Zugriff pausiert',
          text: 'Seine Zahlen erscheinen wieder, sobald es den Zugriff fortsetzt.',
        },
        revoked: {
          title: 'Das Unternehmen hat den Zugriff widerrufen',
          text: 'Sie können noch einmal anfragen.',
        },
      },
      declined: 'Das Unternehmen hat Ihre letzte Anfrage abgelehnt.',
      reason: 'Sein Grund',
      request: 'Die Anfrage',
    },
    ask: {
      title: 'Zugriff anfragen',
      titleMore: 'Um mehr bitten',
      lead: 'Nicht mit Ihnen geteilt:',
      what: 'Was möchten Sie lesen?',
      limitsHint: 'Lassen Sie diese Felder leer, um Zugriff ohne Einschränkungen anzufragen.',
      keys: 'Nur diese Kennzahlen',
      keysHint: 'Schlüssel von Kennzahlen, durch Kommas getrennt, zum Beispiel: arr, cash_balance',
      keysError: (most) => `Geben Sie bis zu ${most} gültige Schlüssel ein, durch Kommas getrennt.`,
      purpose: 'Zweck',
      purposeHint: 'Das Unternehmen liest dies, bevor es entscheidet.',
      purposeError: `Höchstens ${maxPurposeLength.toLocaleString('de')} Zeichen und keine Steuerzeichen.`,
      send: 'Anfrage senden',
      sent: 'Wir haben das Unternehmen gefragt. Seine Antwort erscheint hier.',
      noScope: 'Wählen Sie mindestens eines.',
      refused: 'Die Anfrage wurde nicht gesendet',
      overtaken:
        'Der Zugriff hat sich geändert, seit Sie diese Seite geöffnet haben. Sie zeigt jetzt den aktuellen Stand.',
      several: {
        title: 'Mehrere Unternehmen anfragen',
        lead: 'Jedes Unternehmen erhält eine eigene Anfrage mit demselben Zweck.',
        companies: 'Unternehmen',
        send: 'Anfragen senden',
        tooMany: (most) => `Wählen Sie höchstens ${most} Unternehmen`,
        none: 'Keine Unternehmen ausgewählt',
        noneHint:
          'Kreuzen Sie Unternehmen in Ihrem Portfolio an, und wählen Sie dann „Zugriff anfragen“.',
        back: 'Zurück zum Portfolio',
        notAll: 'Einige Unternehmen wurden nicht angefragt',
        notAllHint: 'Alle anderen Unternehmen sind angefragt.',
        stopped: {
          limit:
            'Ihr Limit für Anfragen ist erreicht. Warten Sie eine Minute, und fragen Sie dann unten die übrigen Unternehmen an.',
          error:
            'Ein Fehler hat die Anfragen unterbrochen. Fragen Sie unten die übrigen Unternehmen an.',
        },
        left: 'Noch nicht angefragt',
        outcomes: {
          asked: 'Angefragt',
          covered: 'Schon geteilt oder angefragt',
          overtaken: 'Nicht angefragt: Der Zugriff hat sich inzwischen geändert',
          failed:
            'Wegen eines Fehlers nicht angefragt: Öffnen Sie das Unternehmen und versuchen Sie es erneut',
          gone: 'Nicht angefragt: nicht in Ihrem Portfolio',
        },
      },
      viewer: (investor) =>
        `Sie können Daten für ${investor} sehen und lesen. Mitglieder und Admins können auch um Zugriff bitten.`,
    },
    compare: {
      lead: 'Eine Kennzahl mehrerer Unternehmen, die Kennzahlen mit Ihnen teilen. Jedes von ihnen sieht Ihren Besuch.',
      change: 'Vergleich ändern',
      from: 'Von (Zeitraum)',
      to: 'Bis (Zeitraum)',
      companies: (most) => `Unternehmen, bis zu ${most}`,
      tooMany: (most) => `Verglichen werden die ersten ${most} Unternehmen.`,
      scale: 'Werte',
      scales: { amount: 'Nach Währung', index: 'Indexiert: Der erste Wert ist 100' },
      indexed: (metric) => `${metric}, indexiert`,
      indexHint: 'Der erste Wert jedes Unternehmens in diesem Zeitraum ist 100.',
      notIndexed: (companies) =>
        `Nicht indexiert, weil der erste Wert nicht über null liegt oder die Währung gewechselt hat: ${companies}.`,
      cut: (most, companies) =>
        `Nur die neuesten ${most} Werte werden gezeigt. Wählen Sie einen kürzeren Zeitraum, um frühere zu sehen: ${companies}.`,
      cutNotIndexed: (most, companies) =>
        `Nicht indexiert, weil der Zeitraum mehr als ${most} Werte hat. Wählen Sie einen kürzeren: ${companies}.`,
      newestRows: (most) =>
        `Die Tabelle enthält die neuesten ${most} Zeilen. Die Dateien enthalten alle.`,
      search: 'Weitere nach Namen suchen',
      clear: 'Neu beginnen',
      empty: 'Wählen Sie Unternehmen zum Vergleichen',
      emptyHint: 'Wählen Sie zwei oder mehr und dann „Anzeigen“.',
      noneShares: 'Noch kein Unternehmen teilt Kennzahlen mit Ihnen',
      noneSharesHint:
        'Bitten Sie Unternehmen Ihres Portfolios um Zugriff. Unternehmen, die ihn geben, können Sie vergleichen.',
      none: 'Keine Werte',
      noneHint: 'Keines der gewählten Unternehmen hat diese Kennzahl in diesem Zeitraum.',
      amounts: (metric, currency) => `${metric} in der Währung ${currency}`,
      currencies:
        'Die Unternehmen berichten in mehreren Währungen. Beträge werden nicht umgerechnet, darum steht jede Währung für sich.',
      without: (companies) => `Ohne diese Kennzahl in diesem Zeitraum: ${companies}.`,
      refused: (companies) => `Zurzeit nicht mit Ihnen geteilt: ${companies}.`,
      oneOff: (companies) =>
        `Einmaliger Zugriff wird nicht verglichen, weil der erste Abruf die 24 Stunden startet: ${companies}.`,
      plot: (what, companies) => `${what} im Zeitverlauf: ${companies}`,
      csv: 'Als CSV',
      xlsx: 'Für Excel',
    },
    verify: {
      checking: ['Die Signaturen werden geprüft…', ''],
      valid: [
        'Alle Signaturen sind gültig',
        'Ihr Browser hat jede Signatur mit den öffentlichen Schlüsseln dieses Dienstes geprüft.',
      ],
      invalid: [
        'Eine Signatur ist ungültig',
        'Verlassen Sie sich nicht auf die gekennzeichneten Kennzahlen.',
      ],
      failed: [
        'Die Signaturen konnten nicht geprüft werden',
        'Dieser Browser kann sie nicht prüfen, oder die Schlüssel konnten nicht geladen werden.',
      ],
      good: 'gültig',
      bad: 'ungültig',
      noScript: 'Schalten Sie JavaScript ein, um die Signaturen in Ihrem Browser zu prüfen.',
    },
  },
};
