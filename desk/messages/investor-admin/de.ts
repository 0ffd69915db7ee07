import { maxNameLength, maxPurposeLength } from '#core';
import type { investorAdmin as pattern } from './en.ts';

export const investorAdmin: typeof pattern = {
  tabs: { people: 'Personen', keys: 'Schlüssel', usage: 'Verbrauch' },

  requests: {
    title: 'Anfragen',
    lead: 'Worum Sie Unternehmen gebeten haben, das Neueste zuerst, und was sie entschieden haben.',
    ask: 'Ein Unternehmen fragen',
    filter: 'Stand',
    any: 'Alle',
    show: 'Zeigen',
    clear: 'Alle zeigen',
    company: 'Unternehmen',
    what: 'Was',
    asksMore: 'zusätzlich erbeten',
    status: 'Stand',
    until: 'Bis',
    asked: 'Gefragt',
    lapses: 'verfällt',
    left: 'Ein Unternehmen, das Ihr Portfolio verlassen hat',
    emptyTitle: 'Sie haben noch niemanden gefragt',
    empty:
      'Wählen Sie im Portfolio ein Unternehmen, und bitten Sie es um das, was Sie lesen möchten.',
    toPortfolio: 'Zum Portfolio',
    nothingTitle: 'Keine Anfrage hat diesen Stand',
    statuses: {
      pending: 'Wartet auf das Unternehmen',
      approved: 'Sie dürfen lesen',
      declined: 'Abgelehnt',
      expired: 'Beendet',
      revoked: 'Zurückgenommen',
    },
  },

  request: {
    title: (company) => `Anfrage an ${company}`,
    purpose: 'Wozu, in Ihren Worten',
    noPurpose: 'Sie haben keinen Zweck genannt.',
    asked: 'Gefragt',
    lapses: 'Verfällt ohne Antwort',
    until: 'Sie dürfen lesen bis',
    decided: 'Entschieden',
    reason: 'Was das Unternehmen als Grund nannte',
    wants: 'Sie möchten lesen',
    reads: 'Sie dürfen lesen',
    notGranted: 'Auch darum haben Sie gebeten, ohne es zu bekommen',
    wantsMore: 'Sie möchten zusätzlich lesen',
    history: 'Was geschah',
    receipts: 'Belege',
    receiptsHint:
      'Jede Änderung hinterließ einen signierten Beleg. Ihr Browser kann sie selbst prüfen.',
    showReceipts: 'Die Belege zeigen',
    receiptsTitle: (company) => `Belege zur Anfrage an ${company}`,
    ourReads: 'Was wir davon lesen',
    amendTitle: 'Um mehr bitten',
    amendPending:
      'Es kommt zu dem hinzu, worum Sie schon gebeten haben; das Unternehmen entscheidet über alles zusammen.',
    amendGranted:
      'Was Sie jetzt lesen dürfen, gilt unterdessen weiter, wie das Unternehmen auch entscheidet.',
    what: 'Was möchten Sie lesen?',
    whatError: 'Wählen Sie mindestens eines.',
    why: 'Wozu? Das Unternehmen liest dies',
    whyHint: `Höchstens ${maxPurposeLength.toLocaleString('de')} Zeichen. Unternehmen entscheiden eher, wenn sie wissen, wozu.`,
    whyError: `Höchstens ${maxPurposeLength.toLocaleString('de')} Zeichen und keine Steuerzeichen.`,
    amend: 'Darum bitten',
    amended: 'Dem Unternehmen wurde gesagt, worum Sie zusätzlich bitten.',
    withdrawTitle: 'Die Anfrage zurückziehen',
    giveUpTitle: 'Den Zugang aufgeben',
    withdrawHint: 'Das Unternehmen muss dann nicht mehr entscheiden.',
    giveUpHint: 'Vom nächsten Lesen an werden Sie abgewiesen.',
    withdraw: 'Zurückziehen…',
    giveUp: 'Aufgeben…',
    withdrawReview: (company) => `Die Anfrage an ${company} zurückziehen?`,
    withdrawText:
      'Das Unternehmen muss nicht mehr entscheiden und sieht, dass Sie sie zurückgezogen haben.',
    giveUpReview: (company) => `Den Zugang zu ${company} aufgeben?`,
    giveUpText:
      'Sobald Sie bestätigen, wird jedes Lesen abgewiesen. Um wieder zu lesen, müssen Sie neu fragen, und das Unternehmen muss zustimmen.',
    confirmWithdraw: 'Ja, zurückziehen',
    confirmGiveUp: 'Ja, aufgeben',
    withdrawn: 'Erledigt. Das Unternehmen sieht es.',
    againTitle: 'Noch einmal fragen',
    againHint: 'Diese Anfrage ist zu Ende. Eine neue beginnt mit dem, was Sie hier wählen.',
    askTitle: (company) => `${company} fragen`,
    askLead:
      'Das Unternehmen bekommt eine Nachricht und entscheidet, was Sie lesen dürfen und bis wann.',
    ask: 'Fragen',
    created: 'Das Unternehmen weiß Bescheid. Hier sehen Sie, was es entscheidet.',
    existing: 'Dazu gibt es schon eine Anfrage. Es wurde nichts Neues gefragt.',
    conflictTitle: 'Es wurde nichts geändert',
    conflict:
      'Unterdessen ist mit dieser Anfrage etwas anderes geschehen. Unten steht, wie sie ist.',
    scopeConflict:
      'Es gibt eine laufende Anfrage, die dies nicht umfasst. Bitten Sie dort um mehr.',
    left: 'Dieses Unternehmen hat Ihr Portfolio verlassen, deshalb können Sie es um nichts bitten.',
  },

  actors: {
    key: 'mit einem Ihrer Schlüssel',
    person: (email) => `von ${email}`,
    formerPerson: 'von einer Person, die nicht mehr bei Ihnen ist',
    company: (name) => `vom Unternehmen ${name}`,
    unnamedCompany: 'vom Unternehmen',
  },

  reads: {
    title: 'Was wir lesen',
    lead: 'Jedes Lesen Ihrer Schlüssel und Personen, und jedes, das abgewiesen wurde. Jedes Unternehmen sieht davon das Seine.',
    filters: 'Welches Lesen',
    company: 'Unternehmen',
    anyCompany: 'Alle',
    otherCompany: 'Das gewählte Unternehmen',
    who: 'Wer',
    anybody: 'Alle',
    people: 'Personen',
    keys: 'Schlüssel',
    protocol: 'Auf welchem Weg',
    anyProtocol: 'Alle',
    desk: 'Diese Seiten',
    outcome: 'Was daraus wurde',
    anyOutcome: 'Alles',
    outcomes: {
      allowed: 'Gelesen',
      refused: 'Abgewiesen, aus welchem Grund auch immer',
      insufficient_scope: 'Abgewiesen: so weit reicht der Schlüssel nicht',
      access_required: 'Abgewiesen: kein Zugang',
      access_pending: 'Abgewiesen: noch nicht entschieden',
      access_revoked: 'Abgewiesen: zurückgenommen',
      company_not_found: 'Abgewiesen: nicht im Portfolio',
    },
    request: 'Nummer der Anfrage',
    requestHint: 'Wie in der Kopfzeile Svc-Request-Id jeder Antwort.',
    tableTitle: 'Gelesenes, das Neueste zuerst',
    when: 'Wann',
    what: 'Was',
    became: 'Was daraus wurde',
    times: (count) => `${count}-mal`,
    resources: {
      metrics: () => 'Alle Kennzahlen',
      metric: (key) => (key === null ? 'Eine Kennzahl' : `Kennzahl ${key}`),
      metric_history: (key) => (key === null ? 'Verläufe von Kennzahlen' : `Verlauf von ${key}`),
      sources: () => 'Quellen',
      accounts: () => 'Konten',
    },
    noCompany: 'Keines Ihres Portfolios',
    removedPerson: 'Eine Person, die nicht mehr bei Ihnen ist',
    emptyTitle: 'Es wurde nichts gelesen',
    empty:
      'Sobald einer Ihrer Schlüssel oder eine Ihrer Personen liest oder abgewiesen wird, steht es hier.',
    noneTitle: 'Das wurde nicht gelesen',
    none: 'Nichts, was gelesen oder abgewiesen wurde, ist so. Wählen Sie weniger, oder zeigen Sie alles.',
  },

  usage: {
    lead: 'Wie viel Ihre Schlüssel und Personen fragen, und was abgewiesen wird. Jeder Schlüssel hat sein eigenes Maß; die Seiten aller Ihrer Personen teilen sich eines.',
    deskTitle: 'Diese Seiten',
    desk: (left, limit, seconds) =>
      `Es bleiben ${left} von ${limit} Punkten; in ${seconds} Sekunden sind es wieder alle.`,
    tableTitle: 'Die letzten 24 Stunden',
    cut: (count) =>
      `Es ist mehr, als auf einmal gezählt wird. Die Zahlen sind von den neuesten ${count} jeder Art.`,
    who: 'Schlüssel oder Person',
    limit: 'Punkte pro Minute',
    lately: 'Gelesen in der letzten Minute',
    reads: 'Gelesen',
    refused: 'Abgewiesen',
    show: 'Zeigen',
    showOf: (who) => `, was ${who} nicht bekam`,
    refusalsTitle: 'Warum Lesen abgewiesen wurde',
    code: 'Code',
    meaning: 'Was es bedeutet',
    count: 'Wie oft',
    noRefusals: 'In den letzten 24 Stunden wurde nichts abgewiesen.',
    emptyTitle: 'Es gilt kein Schlüssel',
    empty: 'Machen Sie einen auf der Seite Schlüssel; dann steht hier, was er fragt.',
    notCounted:
      'Einmal zu lesen kostet einen Punkt, und jeder andere Aufruf auch. Aufrufe, die abgewiesen werden, weil die Punkte verbraucht sind (429, rate_limit_exceeded), hinterlassen nichts und werden hier nicht gezählt.',
    meanings: {
      insufficient_scope: 'So weit reicht der Schlüssel nicht. Machen Sie einen, der es darf.',
      access_required: 'Das Unternehmen hat dazu keinen Zugang gegeben. Fragen Sie es.',
      access_pending: 'Sie haben gefragt, und das Unternehmen hat noch nicht entschieden.',
      access_revoked: 'Das Unternehmen hat den Zugang zurückgenommen.',
      company_not_found:
        'Das Unternehmen ist nicht in Ihrem Portfolio, oder es gibt keines mit dieser Nummer.',
      invalid_api_key: 'Der Schlüssel endete, während er las.',
    },
  },

  keys: {
    reads: 'Gelesen',
    showReads: 'Was er las',
    showRefusals: 'Was er nicht bekam',
  },

  keyScopes: {
    'companies:read': 'die Unternehmen Ihres Portfolios auflisten',
    'metrics:read': 'Kennzahlen lesen, die Unternehmen freigegeben haben',
    'accounts:read': 'Konten lesen, die Unternehmen freigegeben haben',
    'sources:read': 'Quellen lesen, die Unternehmen freigegeben haben',
    'reports:read': 'Berichte lesen, sobald es sie gibt',
    'webhooks:manage': 'Webhooks hinzufügen, ändern und entfernen',
  },

  settings: {
    contacts: {
      listTitle: 'Wer für Sie handelt',
      hint: 'Jede dieser Personen kann sich hier anmelden. Was sie darf, sagt ihre Rolle.',
      hintNoMail:
        'Was jede dieser Personen darf, sagt ihre Rolle. Dieser Dienst sendet keine Mails: Wer ihn betreibt, macht die Links zum Anmelden.',
      removeText: (email, investor) =>
        `Sobald Sie bestätigen, kann ${email} nichts mehr für ${investor} tun, auch nicht dort, wo die Person jetzt angemeldet ist. Was sie gelesen und gefragt hat, bleibt, wie es ist.`,
    },
    keys: {
      lead: 'Mit einem Schlüssel liest eines Ihrer Programme, was Unternehmen Ihnen freigegeben haben. Jeder Schlüssel hat sein eigenes Maß und hinterlässt einen Eintrag für jedes Lesen.',
      empty: 'Sie haben noch keinen Schlüssel',
      nameHint: 'Damit Sie ihn von anderen unterscheiden, etwa „Dashboard“.',
      nameError: `Ein Name hat höchstens ${maxNameLength} Zeichen und keine Steuerzeichen.`,
      createText: (investor, may) =>
        `Wer den Schlüssel hat, liest für ${investor} und darf dies: ${may}. Geben Sie ihn niemandem als Ihrem eigenen Programm.`,
      revokeText:
        'Sobald Sie bestätigen, wird jeder Aufruf mit diesem Schlüssel abgewiesen. Das lässt sich nicht rückgängig machen. Was damit gelesen wurde, bleibt verzeichnet.',
      limit:
        'Es gelten so viele Ihrer Schlüssel, wie auf einmal gelten dürfen. Widerrufen Sie zuerst einen.',
    },
    webhooks: {
      limit: 'Sie haben so viele Webhooks, wie Sie haben dürfen. Entfernen Sie zuerst einen.',
      createText:
        'Sobald Sie bestätigen, wird an diese Adresse gesendet, was mit Ihren Anfragen geschieht, und dass sich Daten geändert haben, die Sie lesen dürfen. Keine der Zahlen wird gesendet.',
    },
  },
};
