import { AccessError, type Metric } from '#core';
import type { NormalizedMetric, Outcome } from '../parity/drivers/driver.ts';
import { aCall } from '../support/call.ts';
import type { RefusalCode } from '../support/contract.ts';
import type { Harness } from './harness.ts';
import type { Look } from './look.ts';
import { figures, metricKey, newestValues } from './model.ts';
import type { Company, Key } from './state.ts';
import type { World } from './world.ts';

const noCompany = 'co_none';

/** Only desk pages show figures of several companies together, so this calls the use case directly. */
export const lookAtFigures = (
  { state, harness }: World,
  key: Key,
  who: string,
  companies: readonly (Company | null)[],
): Look => ({
  what: 'the figures of several companies',
  who,
  driver: { name: 'the use case', protocol: 'rest' },
  named: JSON.stringify(companies.map((company) => company?.id)),
  verdict: figures(state, key, companies),
  ask: () =>
    read(
      harness,
      key,
      companies.map((company) => company?.id ?? noCompany),
    ),
});

async function read(
  { investorUseCases }: Harness,
  { secret }: Key,
  companyIds: readonly string[],
): Promise<Outcome<unknown>> {
  try {
    const admission = await investorUseCases.admitCaller(secret, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    const { companies, refusals } = await investorUseCases.readPortfolioFigures(admission.caller, {
      companyIds: [...companyIds],
      keys: [metricKey],
      metrics: 1,
      values: newestValues,
    });
    const data = companyIds.map((id) => {
      const read = companies.get(id);
      return read === undefined
        ? refusals.get(id)
        : [
            read.latest.map(normalizeRead),
            read.histories.flatMap(({ values }) => values.map(normalizeRead)),
          ];
    });
    return { ok: true, data, wire: wireOf(data) };
  } catch (error) {
    if (!(error instanceof AccessError)) throw error;
    const { code, message, details } = error;
    const refused = { code: code as RefusalCode, message, details, wire: wireOf(message) };
    return { ok: false, documentationUrl: '', envelope: null, ...refused };
  }
}

const wireOf = (data: unknown) => ({ status: 200, headers: {}, text: JSON.stringify(data) });

/** Returns the metric in the drivers' form. */
function normalizeRead({ revision: _, verification, ...metric }: Metric): NormalizedMetric {
  const { verified, signed } = verification;
  return JSON.parse(JSON.stringify({ ...metric, verification: { verified, signed } }));
}
