import { expect, it } from 'vitest';
import { AccessError } from '#core';
import type { TestService } from '../../support/service.ts';
import { describeDesk, formTo, plain, type Seen, signInInvestor } from '../desk.ts';
import { openView } from './portfolio-page.ts';
import { addShared, openPortfolio } from './portfolios.ts';

const purpose = 'Quarterly reporting to our partners.';

/** The IDs of the companies that a form sends access requests to. */
const companiesIn = (page: Seen): readonly string[] => formTo(page, '/ask').fields.company ?? [];

async function openUnshared(service: TestService) {
  const opened = await openPortfolio(service);
  for (const name of ['Alder', 'Birch', 'Cedar'])
    await service.fixtures.companyOf(opened.investor, name);
  return opened;
}

async function requestsOf({ get }: TestService, key: string) {
  const { body: companies } = await get('/v1/companies', key);
  const { body: requests } = await get('/v1/access-requests', key);
  return Object.fromEntries(
    companies.data.map(({ id, name }: { id: string; name: string }) => [
      name,
      requests.data.find((each: { company_id: string }) => each.company_id === id),
    ]),
  );
}

describeDesk('asking several companies', (given) => {
  it('sends a request with one purpose to each chosen company', async () => {
    const service = given();
    const { person, key } = await openUnshared(service);
    const view = await openView(person);
    const page = await person.get(`/desk/portfolio/ask?${view.choose(['Alder', 'Cedar'])}`);
    expect(page.status).toBe(200);
    const sent = await person.submit(formTo(page, '/ask'), {
      scopes: ['metrics:read', 'sources:read'],
      purpose,
    });
    const after = await openView(person, sent.location ?? '');
    expect(plain(after.seen.text)).toContain('We have asked the companies.');
    expect(after.names).toEqual(['Alder', 'Cedar']);
    const requested = {
      status: 'pending',
      requested_scopes: ['metrics:read', 'sources:read'],
      purpose,
    };
    expect(await requestsOf(service, key)).toMatchObject({ Alder: requested, Cedar: requested });
    expect((await requestsOf(service, key)).Birch).toBeUndefined();
  });

  it('adds scopes to an open request, and lists the companies that already have a request for all of them', async () => {
    const service = given();
    const opened = await openUnshared(service);
    const { person, key } = opened;
    await addShared(service, opened, 'All', undefined);
    await addShared(service, opened, 'Part', ['metrics:read']);
    const view = await openView(person);
    const page = await person.get(`/desk/portfolio/ask?${view.choose(['All', 'Part', 'Alder'])}`);
    const done = await person.submit(formTo(page, '/ask'), { scopes: ['accounts:read'], purpose });
    expect(done.status).toBe(200);
    expect(plain(done.text)).toMatch(/Already shared or asked for All Asked Alder Part/);
    const requests = await requestsOf(service, key);
    expect(requests.Part).toMatchObject({ status: 'approved', pending_scopes: ['accounts:read'] });
    expect(requests.Alder).toMatchObject({ requested_scopes: ['accounts:read'] });
  });

  it('shows the form again with an error and the same companies if no scope is chosen', async () => {
    const service = given();
    const { person } = await openUnshared(service);
    const view = await openView(person);
    const page = await person.get(`/desk/portfolio/ask?${view.choose(['Alder', 'Birch'])}`);
    const again = await person.submit(formTo(page, '/ask'), { scopes: [], purpose });
    expect(again.status).toBe(422);
    expect(plain(again.text)).toContain('Choose at least one.');
    expect(companiesIn(again)).toEqual(companiesIn(page));
    expect(formTo(again, '/ask').fields.purpose).toEqual([purpose]);
  });

  it('ignores companies outside the portfolio', async () => {
    const service = given();
    const other = await openUnshared(service);
    const foreign = (await openView(other.person)).choose(['Alder']);
    const { person } = await openUnshared(service);
    const none = await person.get(`/desk/portfolio/ask?${foreign}`);
    expect(none.status).toBe(422);
    expect(plain(none.text)).toContain('No companies chosen');
    const page = await person.get(
      `/desk/portfolio/ask?${(await openView(person)).choose(['Birch'])}`,
    );
    const form = formTo(page, '/ask');
    const own = form.fields.company ?? [];
    await person.submit(form, { company: [...own, foreign.get('company') ?? ''], purpose });
    expect((await service.get('/v1/access-requests', other.key)).body.data).toEqual([]);
  });

  it('asks the other companies even if one request is refused, and shows each result', async () => {
    const service = given();
    const { person, key } = await openUnshared(service);
    const view = await openView(person);
    const first = formTo(
      await person.get(`/desk/portfolio/ask?${view.choose(['Alder', 'Birch'])}`),
      '/ask',
    );
    const [alder = '', birch = ''] = first.fields.company ?? [];
    await person.submit(first, { company: [alder], purpose });
    const { Alder: sent } = await requestsOf(service, key);
    await service.operator.declineAccessRequest({ id: sent.id });
    // The form is the same, so it reuses the declined request's idempotency key with another purpose.
    const done = await person.submit(first, { company: [alder, birch], purpose: 'Another one.' });
    expect(done.status).toBe(200);
    expect(plain(done.text)).toMatch(/Not asked because of an error: .* Alder Asked Birch/);
    expect(await requestsOf(service, key)).toMatchObject({
      Alder: { status: 'declined' },
      Birch: { status: 'pending' },
    });
  });

  it('shows an error if too many companies are chosen', async () => {
    const { person } = await openUnshared(given());
    const form = formTo(
      await person.get(`/desk/portfolio/ask?${(await openView(person)).choose(['Birch'])}`),
      '/ask',
    );
    const many = Array.from({ length: 10_000 }, (_, at) => `co_${at}`);
    const company = many.slice(0, 101);
    const sent = await person.submit(form, { company, purpose });
    expect(sent.status).toBe(422);
    expect(plain(sent.text)).toContain('Choose up to 100 companies');
    const addressOf = (ids: readonly string[]) =>
      `/desk/portfolio/ask?${ids.map((id) => `company=${id}`).join('&')}`;
    expect((await person.get(addressOf(company))).status).toBe(422);
    const tooLong = await person.submit(form, { company: many, purpose });
    expect(tooLong.status).toBe(413);
    expect(tooLong.text).toContain('<h1>');
    expect((await person.get(addressOf(many))).status).toBe(431);
  });

  it('isn’t available to viewers', async () => {
    const service = given();
    const { person, investor, key } = await openUnshared(service);
    const view = await openView(person);
    const page = await person.get(`/desk/portfolio/ask?${view.choose(['Alder'])}`);
    const viewer = await signInInvestor(service, investor.id, undefined, 'viewer');
    const seen = await openView(viewer);
    expect(plain(seen.seen.text)).not.toContain('Ask for access');
    expect(plain(seen.seen.text)).toContain('Compare');
    const shown = await viewer.get(`/desk/portfolio/ask?${view.choose(['Alder'])}`);
    expect(shown.forms.some(({ action }) => action.endsWith('/ask'))).toBe(false);
    const { csrf } = seen.seen.forms.find(({ fields }) => 'csrf' in fields)?.fields ?? {};
    const { fields } = formTo(page, '/ask');
    const sent = await viewer.post('/desk/portfolio/ask', { ...fields, csrf: csrf ?? [], purpose });
    expect(sent.status).toBe(403);
    expect((await service.get('/v1/access-requests', key)).body.data).toEqual([]);
  });
});

let stopAt = 0;
let stopError: Error | undefined;

describeDesk(
  'asking several companies, if an error stops the requests',
  (given) => {
    /** Sends the form for three companies. The request with number `at` fails. */
    async function stop(at: number, error: Error) {
      const service = given();
      const opened = await openUnshared(service);
      const view = await openView(opened.person);
      const all = view.choose(['Alder', 'Birch', 'Cedar']);
      const page = await opened.person.get(`/desk/portfolio/ask?${all}`);
      [stopAt, stopError] = [at, error];
      const sent = await opened.person.submit(formTo(page, '/ask'), {
        scopes: ['sources:read'],
        purpose,
      });
      stopError = undefined;
      return { service, ...opened, page, sent };
    }

    it('lists the companies that were asked, and asks the others with the next click', async () => {
      const { service, person, key, page, sent } = await stop(
        2,
        new AccessError('rate_limit_exceeded', { retryAfterSeconds: 40 }),
      );
      expect(sent.status).toBe(429);
      expect(sent.headers.get('retry-after')).toBe('40');
      expect(plain(sent.text)).toContain('Your limit for requests is used up.');
      expect(plain(sent.text)).toMatch(/Asked Alder Back to the portfolio/);
      expect(companiesIn(sent)).toEqual(companiesIn(page).slice(1));
      const { fields } = formTo(sent, '/ask');
      expect(fields).toMatchObject({ scopes: ['sources:read'], purpose: [purpose] });
      const again = await person.submit(formTo(sent, '/ask'));
      expect(again.location).toBe('/desk/portfolio?access=waiting&asked');
      const requested = { requested_scopes: ['sources:read'], purpose };
      expect(await requestsOf(service, key)).toMatchObject({
        ...{ Alder: requested, Birch: requested, Cedar: requested },
      });
    });

    it('keeps the remaining companies in the form after an unexpected error, and logs the error', async () => {
      const { service, page, sent } = await stop(3, new Error('the network is down'));
      expect(sent.status).toBe(500);
      expect(plain(sent.text)).toContain('An error stopped the requests.');
      expect(plain(sent.text)).toMatch(/Asked Alder Birch Back/);
      expect(companiesIn(sent)).toEqual(companiesIn(page).slice(2));
      expect(service.log.join('')).toContain('the network is down');
    });

    it('lists the companies that were asked before the contact’s role changed, or only shows the error', async () => {
      const refusal = new AccessError('insufficient_role');
      const { sent } = await stop(2, refusal);
      expect(sent.status).toBe(403);
      expect(plain(sent.text)).toMatch(/Asked Alder Back/);
      const before = await stop(1, refusal);
      expect(before.sent.status).toBe(403);
      expect(plain(before.sent.text)).toContain('Your role doesn’t allow this');
    });
  },
  {},
  {
    interpose: (useCases) => ({
      ...useCases,
      async requestAccess(...given) {
        stopAt -= 1;
        if (stopAt === 0 && stopError !== undefined) throw stopError;
        return useCases.requestAccess(...given);
      },
    }),
  },
);

describeDesk(
  'asking more companies than the rate limit allows',
  (given) => {
    it('asks no company, and keeps all companies in the form', async () => {
      const service = given();
      const { investor, key, person } = await openPortfolio(service);
      const names = Array.from({ length: 10 }, (_, at) => `Company ${at}`);
      for (const name of names) await service.fixtures.companyOf(investor, name);
      const view = await openView(person);
      const page = await person.get(`/desk/portfolio/ask?${view.choose(names)}`);
      const sent = await person.submit(formTo(page, '/ask'), { purpose });
      expect(sent.status).toBe(429);
      expect(companiesIn(sent)).toHaveLength(names.length);
      const { body } = await service.get('/v1/access-requests', key);
      expect(body.data).toEqual([]);
    });
  },
  // The two opened pages and the sent form use up these points.
  { RATE_LIMIT_POINTS: '3' },
);
