/** The names of standard metrics per language, by their lower-case English name. */
const standardNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: {
    arr: 'ARR',
    mrr: 'MRR',
    ebitda: 'EBITDA',
    'cash balance': 'Cash balance',
    cash: 'Cash',
    'burn rate': 'Burn rate',
    'net burn rate': 'Net burn rate',
    runway: 'Runway',
    'monthly recurring revenue': 'Monthly recurring revenue',
    'annual recurring revenue': 'Annual recurring revenue',
    revenue: 'Revenue',
    'gross margin': 'Gross margin',
    'gross profit': 'Gross profit',
    'net income': 'Net income',
    headcount: 'Headcount',
    customers: 'Customers',
    'active users': 'Active users',
    churn: 'Churn',
    'churn rate': 'Churn rate',
    'net revenue retention': 'Net revenue retention',
    'operating expenses': 'Operating expenses',
    'accounts receivable': 'Accounts receivable',
    'accounts payable': 'Accounts payable',
  },
  de: {
    arr: 'ARR',
    mrr: 'MRR',
    ebitda: 'EBITDA',
    'cash balance': 'Kontostand',
    cash: 'Liquide Mittel',
    'burn rate': 'Mittelabfluss',
    'net burn rate': 'Netto-Mittelabfluss',
    runway: 'Reichweite der Mittel',
    'monthly recurring revenue': 'Monatlich wiederkehrender Umsatz',
    'annual recurring revenue': 'Jährlich wiederkehrender Umsatz',
    revenue: 'Umsatz',
    'gross margin': 'Bruttomarge',
    'gross profit': 'Bruttogewinn',
    'net income': 'Jahresüberschuss',
    headcount: 'Mitarbeiterzahl',
    customers: 'Kunden',
    'active users': 'Aktive Nutzer',
    churn: 'Abwanderung',
    'churn rate': 'Abwanderungsrate',
    'net revenue retention': 'Nettoumsatzbindung',
    'operating expenses': 'Betriebliche Aufwendungen',
    'accounts receivable': 'Forderungen',
    'accounts payable': 'Verbindlichkeiten',
  },
};

/** Returns the name of a standard metric in a language. Other labels are returned unchanged. */
export function translateMetricLabel(label: string, language: string): string {
  const names = standardNames[language] ?? {};
  const name = label.toLowerCase();
  return (Object.hasOwn(names, name) ? names[name] : undefined) ?? label;
}
