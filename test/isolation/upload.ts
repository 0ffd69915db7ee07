import { type Decimal, formatAmount } from '#core';
import { csvLine } from '#http';
import { formatLike } from '../../core/model/company-data/display-text.ts';
import { packFile } from '../../desk/company/data/file.ts';
import type { NormalizedMetric, Outcome } from '../parity/drivers/driver.ts';
import type { Harness } from './harness.ts';
import type { Company } from './state.ts';
import { foreignWord } from './verify.ts';
import { freshWord, type World } from './world.ts';

async function openSession(
  { browser, service }: Harness,
  email: string,
  { id: companyId }: Pick<Company, 'id'>,
): Promise<{ readonly secret: string; readonly token: string }> {
  const { token } = await service.operator.createSignInLink({ companyId, email });
  const outcome = await browser.post('', '/desk/sign-in/confirm', { token });
  const [secret] = /svc_ds_\w{32}/.exec(outcome.wire.headers['set-cookie']?.toString() ?? '') ?? [];
  if (secret === undefined) throw new Error(`the link did not sign in: ${outcome.wire.text}`);
  return { secret, token };
}

const columns: Readonly<Record<string, (metric: NormalizedMetric) => string | null>> = {
  company_id: ({ companyId }) => companyId,
  key: ({ key }) => key,
  label: ({ label }) => label,
  currency: ({ currency }) => currency,
  period: ({ period }) => period,
  raw_value: ({ rawValue }) => rawValue,
  value: ({ value }) => value,
  category: ({ category }) => category,
  confidence: ({ confidence }) => confidence,
  as_of: ({ asOf }) => asOf,
  'source.system': ({ source }) => source.system,
  'source.method': ({ source }) => source.method,
  'source.last_synced': ({ source }) => source.lastSynced,
  'verification.verified': ({ verification }) => String(verification.verified),
};

const fileOf = (metrics: readonly NormalizedMetric[]): string =>
  [
    csvLine(Object.keys(columns)),
    ...metrics.map((metric) => csvLine(Object.values(columns).map((cell) => cell(metric)))),
  ].join('');

/**
 * Uploads figures as a contact and accepts them with one click. Expects that the page shows exactly
 * the file's changes. Returns the stored values.
 */
export async function upload(
  world: World,
  company: Company,
  metrics: readonly NormalizedMetric[],
): Promise<readonly NormalizedMetric[]> {
  await asContact(world, company, async ({ look, push }) => {
    const form = await look(metrics);
    const outcome = await push(form, fileOf(metrics));
    const done = `to /desk/data?done=${form.created}-${form.revised}-0`;
    if (codeOf(outcome) !== done) throw fault(company, `leads ${codeOf(outcome)}, not ${done}`);
  });
  return metrics.map((metric) => asUploaded(metric, company.metrics));
}

/** An uploaded metric isn't verified, and its text is formatted from the number. */
function asUploaded(
  metric: NormalizedMetric,
  stored: readonly NormalizedMetric[],
): NormalizedMetric {
  const values = stored
    .filter(({ key }) => key === metric.key)
    .toSorted((one, other) => (one.period < other.period ? -1 : 1));
  const nearest = values.findLast(({ period }) => period <= metric.period) ?? values[0];
  const { source, verification } = metric;
  const currency = metric.currency ?? nearest?.currency ?? null;
  const rawValue = metric.rawValue as Decimal;
  return {
    ...metric,
    currency,
    source: { ...source, method: 'upload' },
    confidence: 'unknown',
    verification: { ...verification, verified: false },
    value: nearest
      ? formatLike(rawValue, currency, { ...nearest, rawValue: nearest.rawValue as Decimal })
      : formatAmount(rawValue, currency),
  };
}

/**
 * Uploads a company's figures as a contact of another company. The desk must refuse the file, even
 * in place of a file that it has already shown.
 */
export const uploadForAnother = (
  world: World,
  by: Company,
  own: readonly NormalizedMetric[],
  metrics: readonly NormalizedMetric[],
) =>
  asContact(world, by, async ({ look, choose, push }) => {
    const shown = await choose(metrics);
    if (codeOf(shown) !== 'status 422') throw fault(by, `of another is ${codeOf(shown)}`);
    const outcome = await push(await look(own), fileOf(metrics));
    if (codeOf(outcome) !== 'status 409') throw fault(by, `of another is ${codeOf(outcome)}`);
  });

const fault = ({ name }: Company, what: string) =>
  new Error(`the desk: a file that a contact of ${name} has uploaded ${what}`);

const codeOf = (outcome: Outcome<string>): string => (outcome.ok ? 'shown' : outcome.code);

interface PushForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly created: number;
  readonly revised: number;
}

interface Desk {
  choose(metrics: readonly NormalizedMetric[]): Promise<Outcome<string>>;
  look(metrics: readonly NormalizedMetric[]): Promise<PushForm>;
  /** The sent file may differ from the file that the page showed. */
  push(form: PushForm, file: string): Promise<Outcome<string>>;
}

async function asContact(
  world: World,
  company: Company,
  work: (desk: Desk) => Promise<void>,
): Promise<void> {
  const { harness, words } = world;
  const { operator } = harness.service;
  const email = `${freshWord().toLowerCase()}@example.com`;
  const contact = await operator.addContact({ companyId: company.id, email, role: 'admin' });
  const { secret, token } = await openSession(harness, email, company);
  for (const word of [contact.id, email, secret, token]) words.add(word);
  const forCompany = { for_company: company.id };

  async function checked(
    asking: Promise<Outcome<string>>,
    metrics: readonly NormalizedMetric[],
  ): Promise<Outcome<string>> {
    const outcome = await asking;
    const mayTurnUp = JSON.stringify([company, metrics, email, contact.id]);
    const word = foreignWord(world, outcome, mayTurnUp);
    if (word !== undefined) throw fault(company, `is answered with ${word}`);
    return outcome;
  }

  const desk: Desk = {
    choose: (metrics) =>
      checked(
        harness.browser.upload(secret, '/desk/data/upload', forCompany, fileOf(metrics)),
        metrics,
      ),
    async look(metrics) {
      const outcome = await desk.choose(metrics);
      if (!outcome.ok) throw fault(company, `is answered with ${outcome.code}`);
      const { data } = outcome;
      const counts = countsIn(data).map((count) => Number(count.replaceAll(',', '')));
      const [created = 0, revised = 0, unchanged, ...others] = counts;
      // The page counts new or changed values separately if they differ a lot from earlier ones, as
      // random values often do.
      const [wrong, marked = 0] = others.toReversed();
      const isThere = (metric: NormalizedMetric) =>
        company.metrics.some(({ key, period }) => key === metric.key && period === metric.period);
      const known = metrics.filter(isThere).length;
      const told = `${created + revised + marked} ${unchanged} ${wrong}`;
      const expected = `${metrics.length} 0 0`;
      if (told !== expected) throw fault(company, `would change ${told}, not ${expected}`);
      const fields = { id: fieldIn(data, 'id'), version: fieldIn(data, 'version') };
      return { fields, created: metrics.length - known, revised: known };
    },
    push: async ({ fields }, file) =>
      harness.browser.post(secret, '/desk/data/push', {
        ...forCompany,
        ...fields,
        tick: 'all',
        kept: await packFile(new TextEncoder().encode(file)),
      }),
  };
  await work(desk);
  await operator.removeContact({ id: contact.id, lastAdmin: true });
}

/** The numbers of new, changed, unchanged and invalid values on the page. */
const countsIn = (page: string): string[] =>
  [
    ...(/<dl class="facts counts">(.*?)<\/dl>/s.exec(page)?.[1] ?? '').matchAll(/<dd>(.*?)<\/dd>/g),
  ].map(([, count = '']) => count);

const fieldIn = (page: string, name: string): string =>
  new RegExp(`<input type="hidden" name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
