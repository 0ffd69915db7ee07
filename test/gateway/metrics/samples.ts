import { createMetrics, type Metrics } from '../../../gateway/metrics/index.ts';

/** A line in Prometheus's text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function parseSamples(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label, text]) => [label, text])),
        value: Number(value),
      };
    });
}

export const newMetrics = (): Metrics => createMetrics(() => 'process');

export const samplesOf = async ({ registry }: Pick<Metrics, 'registry'>): Promise<Sample[]> =>
  parseSamples(await registry.metrics());
