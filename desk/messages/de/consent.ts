import { maxReasonLength } from '#core';
import type { consent as pattern } from '../en/consent.ts';

export const consent: typeof pattern = {
  scopes: {
    'metrics:read': {
      name: 'Kennzahlen',
      what: 'Ihre Kennzahlen mit ihrem Verlauf, etwa Kontostand oder Mitarbeiterzahl',
    },
    'accounts:read': {
      name: 'Konten',
      what: 'Ihre Bank-, Karten- und Buchhaltungskonten mit ihren Salden',
    },
    'sources:read': {
      name: 'Quellen',
      what: 'die Systeme, aus denen Ihre Daten kommen, und wann sie zuletzt geliefert haben',
    },
  },

  statuses: {
    pending: 'Wartet auf Sie',
    approved: 'Geteilt',
    declined: 'Abgelehnt',
    expired: 'Beendet',
    revoked: 'Widerrufen',
  },

  inbox: {
    waitingTitle: 'Wartet auf Ihre Entscheidung',
    count: (count) => `${count} insgesamt`,
    empty: 'Keine Anfragen zu entscheiden',
    emptyHint:
      'Wenn ein Investor um Zugriff bittet, erscheint die Anfrage hier, und Sie bekommen eine E-Mail.',
    emptyAction: 'Ansehen, was Investoren lesen könnten',
    emptyHintNoMail:
      'Wenn ein Investor um Zugriff bittet, erscheint die Anfrage hier. Dieser Dienst versendet keine E-Mails. Sehen Sie also ab und zu nach.',
    asks: (investor) => `${investor} möchte lesen:`,
    asksMore: (investor) => `${investor} möchte zusätzlich lesen:`,
    noPurpose: 'Kein Zweck genannt.',
    review: 'Prüfen',
    reviewOf: (investor) => `Anfrage von ${investor} prüfen`,
    endingTitle: 'Endet bald',
    recentTitle: 'Neueste Abrufe',
    seeAll: 'Alle Abrufe ansehen',
  },

  requests: {
    title: 'Alle Anfragen',
    empty: 'Keine Anfragen passen zu Ihrem Filter',
    emptyHint: 'Wenn ein Investor um Zugriff bittet, erscheint die Anfrage hier.',
  },

  request: {
    title: (investor) => `Anfrage von ${investor}`,
    purpose: 'Zweck, in den Worten des Investors',
    noPurpose: 'Der Investor hat keinen Zweck genannt.',
    lapses: 'Verfällt ohne Antwort',
    until: 'Geteilt bis',
    decided: 'Entschieden',
    ended: 'Beendet',
    reads: 'Kann jetzt lesen',
    asksFor: 'Wollte lesen',
    wants: 'Möchte lesen',
    wantsMore: 'Möchte zusätzlich lesen',
    preview: (scope) => `Das wäre zu sehen: ${scope}`,
    previewHint:
      'Das sieht ein Investor mit Zugriff in Ihren jetzigen Daten. Ihre eigenen Besuche werden nicht verzeichnet.',
    trendWith: (values) => `Verlauf (${values})`,
    trendOf: (oldest, newest) => `Von ${oldest} bis ${newest}`,
    values: (count, text) => (count === 1 ? '1 Wert' : `${text} Werte`),
    oldestSynced: 'die ältesten',
    previewNone: 'Noch keine Daten.',
    decideTitle: 'Ihre Entscheidung',
    choose: 'Was darf der Investor lesen?',
    chooseHint: 'Nur was Sie ankreuzen, wird geteilt.',
    chooseError: 'Wählen Sie mindestens eines, oder lehnen Sie die Anfrage ab.',
    howLong: 'Bis wann?',
    days: (count) => `${count} Tage`,
    year: 'Ein Jahr',
    keepEnd: (date) => `Wie bisher, ${date}`,
    otherDate: 'Bis zum Ende dieses Tages (UTC)',
    dateError: 'Wählen Sie ein Datum in der Zukunft.',
    longer: (time) => `${time} länger als bisher`,
    laterError: (date) => `Wählen Sie ein Datum nach dem jetzigen Ende, dem ${date}.`,
    approve: 'Genehmigen…',
    declineTitle: 'Oder ablehnen',
    declineHint: 'Wir benachrichtigen den Investor, mit Ihrem Grund, wenn Sie einen nennen.',
    reasonLabel: 'Grund für den Investor',
    decline: 'Ablehnen…',
    reasonError: `Höchstens ${maxReasonLength.toLocaleString('de')} Zeichen und keine Steuerzeichen.`,
    revokeTitle: 'Zugriff widerrufen',
    revokeHint: 'Der nächste Abruf des Investors wird abgewiesen.',
    revoke: 'Widerrufen…',
    extendTitle: 'Zugriff verlängern',
    extend: 'Verlängern…',
    history: 'Verlauf',
    receiptsHint: 'Jede Änderung hat einen signierten Beleg. Ihr Browser kann die Belege prüfen.',
    showReceipts: 'Belege ansehen',
    final: 'Diese Anfrage ist beendet. Um zu lesen, muss der Investor neu anfragen.',
    period: 'Stand',
    sourceStatuses: {
      connected: { name: 'Verbunden', meaning: '' },
      stale: { name: 'Veraltet', meaning: 'erwartete Daten sind nicht angekommen' },
      failed: { name: 'Ausgefallen', meaning: 'die Verbindung funktioniert nicht mehr' },
      reauthorization_required: {
        name: 'Anmeldung nötig',
        meaning: 'melden Sie sich bei diesem System neu an',
      },
    },
  },

  review: {
    approveTitle: (investor) => `${investor} Zugriff geben?`,
    approve: (investor, company) =>
      `Sobald Sie bestätigen, kann ${investor} diese Daten von ${company} lesen:`,
    notApproved: 'Nicht enthalten:',
    until: (date) => `Der Zugriff endet am ${date}.`,
    canRevoke: 'Sie können ihn jederzeit widerrufen. Dann wird schon der nächste Abruf abgewiesen.',
    canSee: 'Unter „Abrufe“ sehen Sie jeden Abruf.',
    declineTitle: (investor) => `Anfrage von ${investor} ablehnen?`,
    decline: (investor) =>
      `${investor} bekommt durch diese Anfrage keinen Zugriff und wird über Ihre Ablehnung benachrichtigt. Eine neue Anfrage ist möglich.`,
    declineAddition: (investor) =>
      `${investor} bekommt den zusätzlichen Zugriff nicht. Der jetzige Zugriff bleibt.`,
    revokeTitle: (investor) => `Zugriff von ${investor} widerrufen?`,
    revoke: (investor) =>
      `Sobald Sie bestätigen, wird jeder Abruf von ${investor} abgewiesen, und wir benachrichtigen den Investor. Er behält die Daten, die er schon gelesen hat. Um wieder zu lesen, muss er neu anfragen.`,
    extendTitle: (investor) => `Zugriff von ${investor} verlängern?`,
    extend: (investor, from, to) =>
      `${investor} kann weiter dieselben Daten lesen. Das Ende rückt von ${from} auf ${to}.`,
    reason: 'Ihr Grund, den der Investor sieht:',
    noReason: 'Sie nennen keinen Grund.',
    confirmApprove: 'Ja, genehmigen',
    confirmDecline: 'Ja, ablehnen',
    confirmRevoke: 'Ja, widerrufen',
    confirmExtend: 'Ja, verlängern',
  },

  done: {
    approve: 'Sie haben die Anfrage genehmigt. Der Investor kann jetzt lesen.',
    decline: 'Sie haben die Anfrage abgelehnt. Wir benachrichtigen den Investor.',
    revoke: 'Sie haben den Zugriff widerrufen. Ab jetzt wird jeder Abruf abgewiesen.',
    extend: 'Sie haben den Zugriff verlängert.',
    changed:
      'Die Anfrage hat sich inzwischen geändert. Prüfen Sie sie unten noch einmal, und entscheiden Sie dann.',
  },

  grants: {
    lead: 'Diese Investoren können Ihre Daten jetzt lesen. Sie können jeden Zugriff jederzeit widerrufen. Zugriffe, die bald enden, stehen oben.',
    mayRead: 'Kann lesen',
    nothing: 'Nichts ist geteilt',
    nothingHint:
      'Kein Investor kann Ihre Daten jetzt lesen. Zugriffe, die Sie genehmigen, erscheinen hier.',
    reads: 'Abrufe',
    lastRead: 'Letzter Abruf',
    asksMore: 'Bittet um mehr',
    onHold: 'Nichts: Der Zugriff ruht',
    of: (investor) => `: Zugriff von ${investor}`,
  },

  events: {
    'access_request.created': 'Um Zugriff gebeten',
    'access_request.amended': 'Um mehr gebeten',
    'access_request.approved': 'Genehmigt',
    'access_request.amendment_declined': 'Ergänzung abgelehnt',
    'access_request.declined': 'Abgelehnt',
    'access_request.extended': 'Verlängert',
    'access_request.expiring': 'Erinnerung vor dem Ende',
    'access_request.expired': 'Abgelaufen',
    'access_request.revoked': 'Widerrufen',
    'access_request.withdrawn': 'Vom Investor zurückgezogen',
    'company_data.updated': 'Die Daten des Unternehmens haben sich geändert',
    'source.failed': 'Eine Quelle ist ausgefallen',
    'source.recovered': 'Eine Quelle liefert wieder',
    'source.stale': 'Eine Quelle ist veraltet',
  },

  actors: {
    investor: 'vom Investor',
    company_key: 'mit einem Firmenschlüssel',
    contact: 'von Ansprechpartner',
    operator: 'vom Betreiber dieses Dienstes',
    clock: 'von der Uhr',
    sandbox: 'von der Testumgebung',
    personOf: (investor) => `von einer Person von ${investor}`,
    by: (actor) => actor,
  },

  ways: { link: 'mit einem Link angemeldet', oidc: 'über OpenID Connect angemeldet' },

  ownRequests: {
    requests: {
      lead: 'Ihre Anfragen um Zugriff mit den Entscheidungen der Unternehmen, die neuesten zuerst.',
      ask: 'Unternehmen anfragen',
      asksMore: 'zusätzlich angefragt',
      lapses: 'verfällt',
      left: 'Ein Unternehmen, das nicht mehr in Ihrem Portfolio ist',
      emptyTitle: 'Noch keine Anfragen',
      empty: 'Wählen Sie in Ihrem Portfolio ein Unternehmen, und bitten Sie es um Zugriff.',
      toPortfolio: 'Portfolio öffnen',
      nothingTitle: 'Keine Anfrage hat diesen Status',
      statuses: {
        pending: 'Wartet auf das Unternehmen',
        approved: 'Genehmigt',
        declined: 'Abgelehnt',
        expired: 'Beendet',
        revoked: 'Widerrufen',
      },
    },
    request: {
      title: (company) => `Anfrage an ${company}`,
      purpose: 'Zweck, in Ihren Worten',
      noPurpose: 'Sie haben keinen Zweck genannt.',
      reason: 'Grund des Unternehmens',
      wants: 'Sie möchten lesen',
      wanted: 'Sie wollten lesen',
      reads: 'Mit Ihnen geteilt',
      notGranted: 'Angefragt, nicht gewährt',
      wantsMore: 'Zusätzlich angefragt',
      receipts: 'Belege',
      receiptsLead:
        'Jede Änderung der Anfrage hat einen Beleg, den dieser Dienst signiert hat. Das Unternehmen bekommt dieselben Belege. Jeder Beleg nennt den vorigen, sodass ein geänderter oder fehlender Beleg auffällt.',
      receiptsTitle: (company) => `Belege zur Anfrage an ${company}`,
      toFigures: 'Zahlen ansehen',
      toCompany: 'Unternehmen ansehen',
      ourReads: 'Unsere Abrufe seiner Daten',
      amendPending:
        'Es wird Ihrer Anfrage hinzugefügt. Das Unternehmen entscheidet über alles zusammen.',
      amendGranted: 'Ihr jetziger Zugriff bleibt, wie das Unternehmen auch entscheidet.',
      amended: 'Wir haben das Unternehmen über die Ergänzung benachrichtigt.',
      withdrawTitle: 'Anfrage zurückziehen',
      giveUpTitle: 'Zugriff aufgeben',
      withdrawHint: 'Das Unternehmen muss dann nicht mehr entscheiden.',
      giveUpHint: 'Ihr nächster Abruf wird abgewiesen.',
      withdraw: 'Zurückziehen…',
      giveUp: 'Aufgeben…',
      withdrawReview: (company) => `Anfrage an ${company} zurückziehen?`,
      withdrawText:
        'Das Unternehmen muss nicht mehr entscheiden und sieht, dass Sie die Anfrage zurückgezogen haben.',
      giveUpReview: (company) => `Zugriff auf ${company} aufgeben?`,
      giveUpText:
        'Sobald Sie bestätigen, wird jeder Abruf abgewiesen. Um wieder zu lesen, müssen Sie neu anfragen, und das Unternehmen muss zustimmen.',
      confirmWithdraw: 'Ja, zurückziehen',
      confirmGiveUp: 'Ja, aufgeben',
      withdrawn: 'Erledigt. Das Unternehmen sieht die Änderung.',
      againTitle: 'Noch einmal anfragen',
      againHint: 'Diese Anfrage ist beendet. Wählen Sie die Daten für eine neue Anfrage.',
      ask: 'Anfragen',
      created: 'Wir haben das Unternehmen benachrichtigt. Seine Entscheidung erscheint hier.',
      existing: 'Sie haben dies schon angefragt. Es wurde keine neue Anfrage gesendet.',
      conflict: 'Die Anfrage hat sich inzwischen geändert. Unten steht ihr jetziger Stand.',
      scopeConflict:
        'Ihre laufende Anfrage enthält dies nicht. Bitten Sie in dieser Anfrage um mehr.',
      left: 'Dieses Unternehmen ist nicht mehr in Ihrem Portfolio. Deshalb können Sie es nicht um Zugriff bitten.',
    },
    actors: {
      key: 'mit einem Ihrer Schlüssel',
      person: (email) => `von ${email}`,
      formerPerson: 'von einer früheren Person Ihrer Organisation',
      company: (name) => `vom Unternehmen ${name}`,
      unnamedCompany: 'vom Unternehmen',
    },
    scopes: {
      'metrics:read': {
        name: 'Kennzahlen',
        what: 'seine Kennzahlen mit ihrem Verlauf, etwa Kontostand oder Mitarbeiterzahl',
      },
      'accounts:read': {
        name: 'Konten',
        what: 'seine Bank-, Karten- und Buchhaltungskonten mit ihren Salden',
      },
      'sources:read': {
        name: 'Quellen',
        what: 'die Systeme, aus denen seine Daten kommen, und wann sie zuletzt geliefert haben',
      },
    },
  },
};
