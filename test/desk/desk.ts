import { afterAll, beforeAll, describe } from 'vitest';
import type { CompanyRole, GrantableScope, InvestorRole, Owner, Role } from '#core';
import { embedded, memory, postgres } from '../support/backends.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { type ServiceOptions, startService, type TestService } from '../support/service.ts';

/** Test-specific options of the service, usually a change of its settings. */
interface Otherwise extends Omit<Partial<ServiceOptions>, 'storage' | 'isReachedDirectly'> {
  /** A service in memory has no webhook sender and no sign-in at a provider. */
  readonly onDatabase?: boolean;
}

/** Tests the desk over HTTP, with data in memory, because no page depends on the storage. */
export function describeDesk(
  name: string,
  tests: (given: () => TestService) => void,
  environment: Readonly<Record<string, string>> = {},
  { onDatabase = false, ...otherwise }: Otherwise = {},
): void {
  const database = postgres.isUnreachable ? embedded : postgres;
  describe(`desk: ${name}`, () => {
    let service: TestService;
    let release: () => Promise<void>;

    beforeAll(async () => {
      const opened = await (onDatabase ? database : memory).open();
      release = opened.release;
      service = await startService({
        ...otherwise,
        storage: opened.storage,
        isReachedDirectly: true,
        environment: { RATE_LIMIT_POINTS: '100000', ...environment },
      });
    });
    afterAll(async () => {
      await service?.close();
      await release?.();
    });

    tests(() => service);
  });
}

export const deskCookie = 'portfolio_desk';

type Headers = Readonly<Record<string, string>>;

/** Follows no redirects and stores no cookies. */
interface Browser {
  get(path: string, headers?: Headers): Promise<Seen>;
  submit(form: ShownForm, fields?: Fields): Promise<Seen>;
  fill(path: string, end: string, fields?: Fields): Promise<Seen>;
  post(path: string, fields: Fields, headers?: Headers): Promise<Seen>;
  postForm(path: string, body: FormData, headers?: Headers): Promise<Seen>;
  /** Sends a file with the form of the upload page. */
  upload(content: string | Uint8Array, fields?: Fields, name?: string): Promise<Seen>;
}

export interface Visitor extends Browser {
  readonly email: string;
  readonly session: string;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A page as received, without following redirects. */
export interface Seen {
  readonly status: number;
  readonly headers: Response['headers'];
  readonly text: string;
  /** The redirect's target without the origin. Null if the response isn't a redirect. */
  readonly location: string | null;
  /** The forms in the content come first, then those in the bar above. */
  readonly forms: readonly ShownForm[];
}

export interface ShownForm {
  readonly action: string;
  readonly fields: Readonly<Record<string, string[]>>;
}

let addresses = 0;

/** Adds the address as a contact of the company if needed, and signs the contact in. */
export const signIn = (
  service: TestService,
  companyId: string,
  email?: string,
  role: CompanyRole = 'admin',
): Promise<Visitor> => signInFor(service, { companyId }, email, role);

/** Adds the address as a contact of the investor if needed, and signs the contact in. */
export const signInInvestor = (
  service: TestService,
  investorId: string,
  email?: string,
  role: InvestorRole = 'admin',
): Promise<Visitor> => signInFor(service, { investorId }, email, role);

export async function signInFor(
  service: TestService,
  owner: Owner,
  email = `contact${++addresses}@example.com`,
  role: Role,
): Promise<Visitor> {
  await service.operator.addContact({ ...owner, email, role }).catch(() => undefined);
  const { token } = await service.operator.createSignInLink({ ...owner, email });
  const opened = await service.contacts.signIn({ token, previousSession: null, device: 'test' });
  if (opened === null) throw new Error('the link did not sign in');
  return visit(service, email, opened.session);
}

export const visit = (
  service: Pick<TestService, 'url'>,
  email: string,
  session: string,
): Visitor => ({ email, session, ...browse(service, { cookie: `${deskCookie}=${session}` }) });

/** @param own headers of every request, which can contain a session cookie */
export function browse({ url }: Pick<TestService, 'url'>, own: Headers = {}): Browser {
  const ask = async (path: string, headers: Headers, form: RequestInit = {}) => {
    const sent = { ...own, ...(form.body && { origin: url }), ...headers };
    return see(await fetch(url + path, { redirect: 'manual', headers: sent, ...form }));
  };
  const browser: Browser = {
    get: (path, headers = {}) => ask(path, headers),
    post: (path, fields, headers = {}) =>
      ask(path, headers, { method: 'POST', body: toBody(fields) }),
    postForm: (path, body, headers = {}) => ask(path, headers, { method: 'POST', body }),
    submit: ({ action, fields }, given = {}) => browser.post(action, { ...fields, ...given }),
    fill: async (path, end, fields) => browser.submit(formTo(await browser.get(path), end), fields),
    async upload(content, fields = {}, fileName = 'metrics.csv') {
      const form = formTo(await browser.get('/desk/data/upload'), '/upload');
      const all = { ...form.fields, file: [], ...fields };
      const body = new FormData();
      for (const [name, value] of toBody(all)) body.append(name, value);
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
      body.append('file', new Blob([new Uint8Array(bytes)]), fileName);
      return browser.postForm(form.action, body);
    },
  };
  return browser;
}

export const formTo = ({ forms, text }: Seen, end: string): ShownForm =>
  found(forms, ({ action }) => action.endsWith(end), `no form leads to ${end}: ${text}`);

export const formOf = ({ forms }: Seen, decision: string): ShownForm =>
  found(forms, ({ fields }) => fields.decision?.[0] === decision, `the page offers no ${decision}`);

/** Switches a contact of several organisations to another one. */
export async function choose(visitor: Visitor, organisationId: string): Promise<Seen> {
  const { forms } = await visitor.get('/desk/companies');
  const isOf = ({ fields }: ShownForm) => fields.organisation?.[0] === organisationId;
  return visitor.submit(found(forms, isOf, `no choice of ${organisationId}`));
}

function found<Item>(items: readonly Item[], is: (item: Item) => boolean, otherwise: string): Item {
  const item = items.find(is);
  if (item === undefined) throw new Error(otherwise);
  return item;
}

export async function see(response: Response): Promise<Seen> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    location: response.headers.get('location'),
    forms: [...(/<main.*<\/main>/s.exec(text) ?? []), text.replace(/<main.*<\/main>/s, '')].flatMap(
      formsOf,
    ),
  };
}

const formsOf = (part: string): ShownForm[] =>
  [...part.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(
    ([, action = '', content = '']) => ({ action: decode(action), fields: fieldsOf(content) }),
  );

export function toBody(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each as string]),
    ),
  );
}

/** The fields that a browser sends if nothing is entered. */
function fieldsOf(content: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const [input] of content.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name === undefined) continue;
    if (/type="(?:checkbox|radio)"/.test(input) && !/ checked/.test(input)) continue;
    fields[name] = [...(fields[name] ?? []), decode(/value="([^"]*)"/.exec(input)?.[1] ?? '')];
  }
  for (const [, name = '', text = ''] of content.matchAll(
    /<textarea[^>]*name="([^"]*)"[^>]*>(.*?)<\/textarea>/gs,
  )) {
    fields[name] = [decode(text)];
  }
  return fields;
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

export const decode = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);

/**
 * Sends the form of a decision and then the confirmation. An approval without scopes approves all
 * that the page offers.
 */
export async function decide(
  visitor: Visitor,
  requestId: string,
  decision: string,
  fields: Fields = {},
): Promise<{ review: Seen; confirm: () => Promise<Seen> }> {
  const page = await visitor.get(`/desk/requests/${requestId}`);
  const all = decision === 'approve' ? { scopes: offeredIn(page) } : {};
  const review = await visitor.submit(formOf(page, decision), { ...all, ...fields });
  return { review, confirm: () => visitor.submit(formTo(review, '/decide')) };
}

const offeredIn = ({ text }: Seen): string[] =>
  [...text.matchAll(/name="scopes" value="([^"]+)"/g)].map(([, scope = '']) => scope);

export async function companyWithRequest(service: TestService, scopes?: readonly GrantableScope[]) {
  const made = await service.fixtures.asking(scopes);
  await importLines(service.operator, sampleData(made.company.id));
  return { ...made, contact: await signIn(service, made.company.id) };
}

export async function addRequester({ fixtures, operator }: TestService, companyId: string) {
  const investor = await fixtures.investor();
  const { key } = await fixtures.key(investor);
  await operator.addToPortfolio({ investorId: investor.id, companyId });
  return { investor, key, requestId: (await fixtures.request(key, companyId)).id };
}

export async function addReader(service: TestService, companyId: string, expiresAt?: Date) {
  const requester = await addRequester(service, companyId);
  await service.operator.approveAccessRequest({ id: requester.requestId, expiresAt });
  return requester;
}

export const plain = (markup: string): string =>
  decode(markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')).trim();

export const rowsOf = (text: string): string[] =>
  [...text.matchAll(/<tr[^>]*><th scope="row"[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    plain(row),
  );

export const aValue = (companyId: string, fields: object) => ({
  ...{ type: 'metric', company_id: companyId, key: 'arr', period: '2026-10-31' },
  ...{ source: { system: 'ledger', method: 'api', last_synced: '2026-11-02T04:00:00Z' } },
  ...fields,
});

export const correction = (companyId: string) =>
  aValue(companyId, {
    ...{ key: 'cash_balance', label: 'Cash balance', category: 'liquidity' },
    ...{ currency: 'USD', period: '2026-08-31', raw_value: 1_400_000 },
    source: { system: 'mercury', method: 'api', last_synced: '2026-11-02T04:00:00Z' },
  });
