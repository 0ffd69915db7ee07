import { metricColumns } from '../csv/metric.ts';
import { currencyCodes, currencySymbols } from './amounts.ts';

const columnNames = [
  'company_id',
  'key',
  'label',
  'currency',
  'period',
  'raw_value',
  'value',
  'category',
  'confidence',
  'as_of',
  'source.system',
  'source.method',
  'source.last_synced',
  'verification.verified',
  'verification.source_signature',
] as const;

export type ColumnName = (typeof columnNames)[number];

/** Other headings that mean the same column, separated by spaces. They have the form that `fold` returns. */
const synonyms: Readonly<Partial<Record<ColumnName, string>>> = {
  key: 'metric metrickey metricname kpi kennzahl kennzahlen kpiname indicator indicateur',
  label: 'name bezeichnung title titel libellé',
  currency: 'währung waehrung currencycode währungscode ccy devise',
  period:
    'date datum periode période zeitraum stichtag month monat quarter quartal periodend endofperiod periodenende monatsende monthend',
  raw_value: 'amount betrag wert rawvalue number zahl figure montant valeur',
  category: 'kategorie gruppe group bereich catégorie',
  confidence: 'konfidenz verlässlichkeit',
  as_of: 'stand asat standvom',
  'source.system': 'source quelle system quellsystem herkunft',
  'source.method': 'method methode méthode',
  'source.last_synced':
    'lastsynced lastsync syncedat lastsyncedat synchronisiert zuletztsynchronisiert letztesynchronisierung letzterabruf zuletztabgerufen',
  'verification.verified': 'verified geprüft verifiziert bestätigt',
  'verification.source_signature': 'sourcesignature signature signatur',
};

const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_.:*-]+/g, '');

const columnsByName = new Map<string, ColumnName>(columnNames.map((name) => [fold(name), name]));
const columnsBySimilarName = new Map<string, ColumnName>(
  Object.entries(synonyms).flatMap(([name, words]) =>
    words.split(' ').map((word) => [word, name as ColumnName] as const),
  ),
);

const derivedHeadings = new Set(
  metricColumns.filter((name) => !(columnNames as readonly string[]).includes(name)).map(fold),
);

/** A heading has at most this many characters. A longer text is a note. */
const maxLength = 60;

export interface KnownHeading {
  readonly name: ColumnName;
  /** True if the heading is the column name itself, false if it is a synonym. */
  readonly isExact: boolean;
  /** The currency in the heading, for example `EUR` for `Amount (EUR)`. */
  readonly currency: string | null;
}

/** Returns the column that a heading means, or null. Ignores case, word separators and a currency after the name. */
export function readHeading(text: string): KnownHeading | null {
  if (text.length > maxLength) return null;
  const name = columnsByName.get(fold(text));
  if (name !== undefined) return { name, isExact: true, currency: null };
  const [, head = text, currency = null] =
    /^(.*?)(?:\s*[([]|\s+in\s+|\s+)([A-Z]{3}|[€$£])[)\]]?$/.exec(text.trim()) ?? [];
  const named = columnsByName.get(fold(head)) ?? columnsBySimilarName.get(fold(head));
  if (named === undefined) return null;
  // Refuses a unit that isn't a currency. For example, `TSD` means that the amounts are in thousands.
  const isAmount = named === 'raw_value' || named === 'value';
  if (isAmount && currency !== null && codeOf(currency) === null) return null;
  return { name: named, isExact: false, currency: codeOf(currency) };
}

function codeOf(currency: string | null): string | null {
  const code = currencySymbols.get(currency ?? '') ?? currency;
  return code !== null && currencyCodes.has(code) ? code : null;
}

/** Returns true for a column that can be computed from other columns of an export. It is skipped without a note. */
export const isDerived = (text: string): boolean => derivedHeadings.has(fold(text));
