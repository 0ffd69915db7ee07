import { isMetricKey } from '#core';
import { findStandardMetric } from '../metric-names.ts';

/** A metric that the company already has, with its latest value. */
export interface KnownMetric {
  readonly key: string;
  readonly label: string;
  readonly currency: string | null;
  readonly period: string;
  readonly rawValue: string;
  readonly value: string;
}

export type FoundKey =
  | { readonly kind: 'known' | 'label' | 'new'; readonly key: string }
  /** A standard metric that the company doesn't have yet, by its name. */
  | { readonly kind: 'standard'; readonly key: string; readonly label: string }
  /** The text is similar to the key of an existing metric. */
  | { readonly kind: 'near'; readonly known: string; readonly isKey: boolean }
  | { readonly kind: 'bad_key' | 'two_labels' };

const fold = (text: string): string => text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
const slugOf = (text: string): string => fold(text).replaceAll(/[\s_.-]+/g, '_');

export class KnownMetrics {
  readonly #byKey: ReadonlyMap<string, KnownMetric>;
  readonly #byLabel: ReadonlyMap<string, readonly KnownMetric[]>;
  readonly #bySlug: ReadonlyMap<string, KnownMetric>;
  /** Caches keys that were already looked up, because many rows have the same key. */
  readonly #found = new Map<string, FoundKey>();

  constructor(metrics: readonly KnownMetric[]) {
    this.#byKey = new Map(metrics.map((each) => [each.key, each]));
    this.#byLabel = Map.groupBy(metrics, ({ label }) => fold(label));
    this.#bySlug = new Map(metrics.map((each) => [slugOf(each.key), each]));
  }

  get(key: string): KnownMetric | undefined {
    return this.#byKey.get(key);
  }

  all(): readonly KnownMetric[] {
    return [...this.#byKey.values()];
  }

  find(text: string): FoundKey {
    return this.#found.getOrInsertComputed(text, (raw) => this.#find(raw));
  }

  #find(text: string): FoundKey {
    if (this.#byKey.has(text)) return { kind: 'known', key: text };
    const standard = findStandardMetric(fold(text));
    const names = [fold(text), ...(standard === undefined ? [] : [fold(standard.label)])];
    const [labelled, other] = names.map((name) => this.#byLabel.get(name)).find(Boolean) ?? [];
    if (other !== undefined) return { kind: 'two_labels' };
    if (labelled !== undefined) return { kind: 'label', key: labelled.key };
    const isKey = isMetricKey(text);
    const near = this.#bySlug.get(slugOf(text)) ?? this.#bySlug.get(standard?.key ?? '');
    if (near !== undefined) return { kind: 'near', known: near.key, isKey };
    // Texts such as `EBITDA` and `umsatz` are already valid keys, so they stay unchanged.
    const isPlainKey =
      isKey && (text === text.toLowerCase() || fold(text) === fold(standard?.label ?? ''));
    if (standard !== undefined && !isPlainKey) return { kind: 'standard', ...standard };
    return isKey ? { kind: 'new', key: text } : { kind: 'bad_key' };
  }
}

/** Returns the scale in which a metric stores 78.1%: 78.1 or 0.781. Null if it isn't a percentage. */
export function percentScaleOf(metric: KnownMetric | undefined): 'percent' | 'fraction' | null {
  if (metric === undefined || !/%\s*$/.test(metric.value)) return null;
  const shown = Number(metric.value.replaceAll(/[^\d.-]/g, ''));
  const stored = Number(metric.rawValue);
  return Math.abs(shown - stored) <= Math.abs(shown - 100 * stored) ? 'percent' : 'fraction';
}
