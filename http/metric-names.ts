/** Maps the English names of standard metrics to their German names. */
const germanNames: Readonly<Record<string, string>> = {
  ARR: 'ARR',
  MRR: 'MRR',
  EBITDA: 'EBITDA',
  'Cash balance': 'Kontostand',
  Cash: 'Liquide Mittel',
  'Burn rate': 'Mittelabfluss',
  'Net burn rate': 'Netto-Mittelabfluss',
  Runway: 'Reichweite der Mittel',
  'Monthly recurring revenue': 'Monatlich wiederkehrender Umsatz',
  'Annual recurring revenue': 'Jährlich wiederkehrender Umsatz',
  Revenue: 'Umsatz',
  'Gross margin': 'Bruttomarge',
  'Gross profit': 'Bruttogewinn',
  'Net income': 'Jahresüberschuss',
  Headcount: 'Mitarbeiterzahl',
  Customers: 'Kunden',
  'Active users': 'Aktive Nutzer',
  Churn: 'Abwanderung',
  'Churn rate': 'Abwanderungsrate',
  'Net revenue retention': 'Nettoumsatzbindung',
  'Operating expenses': 'Betriebliche Aufwendungen',
  'Accounts receivable': 'Forderungen',
  'Accounts payable': 'Verbindlichkeiten',
};

const standardNames = new Map<string, Readonly<Record<string, string>>>(
  Object.entries(germanNames).map(([en, de]) => [en.toLowerCase(), { en, de }]),
);

/** The keys of some standard metrics. All other keys consist of the words of the English name. */
const shortKeys: Readonly<Record<string, string>> = {
  'monthly recurring revenue': 'mrr',
  'annual recurring revenue': 'arr',
};

export interface StandardMetric {
  readonly key: string;
  /** The English name. */
  readonly label: string;
}

const standardMetrics: ReadonlyMap<string, StandardMetric> = new Map(
  Object.entries(germanNames).flatMap(([label, german]) => {
    const english = label.toLowerCase();
    const metric = { key: shortKeys[english] ?? english.replaceAll(' ', '_'), label };
    return [english, german.toLowerCase()].map((name) => [name, metric] as const);
  }),
);

/** Finds a standard metric by its name in any language. Ignores the case of letters. */
export const findStandardMetric = (name: string): StandardMetric | undefined =>
  standardMetrics.get(name.toLowerCase());

export const translateMetricLabel = (label: string, language: string): string =>
  standardNames.get(label.toLowerCase())?.[language] ?? label;
