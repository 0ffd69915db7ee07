import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Investor, Owner } from '#core';
import { spawnCli } from '../cli/spawn.ts';
import { deskCookie } from '../desk/desk.ts';
import { postgres, settingsOf } from '../support/backends.ts';
import { type OpenedStream, openStream } from '../support/event-stream.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { type RunningService, startServiceProcess } from '../support/processes.ts';

describe.skipIf(postgres.isUnreachable)(
  `a suspension during open streams (${postgres.name})`,
  () => {
    let environment: Record<string, string>;
    let service: RunningService;
    let side: OperatorSide;
    let release: () => Promise<void>;

    beforeAll(async () => {
      const opened = await postgres.open();
      release = opened.release;
      environment = settingsOf(opened.storage);
      service = await startServiceProcess(environment);
      side = await openOperatorSide(environment);
    });
    afterAll(async () => {
      await side?.close();
      await service?.stop();
      await release?.();
    });

    async function run(...command: string[]): Promise<void> {
      const { exitCode, stderr } = await spawnCli(command, { env: environment });
      expect(exitCode, stderr).toBe(0);
    }

    async function signIn(owner: Owner): Promise<string> {
      const email = `${Object.values(owner).join('')}@example.com`;
      await side.operator.addContact({ ...owner, email, role: 'viewer' });
      const { token } = await side.operator.createSignInLink({ ...owner, email });
      const opened = await side.contacts.signIn({ token, previousSession: null, device: 'test' });
      if (opened === null) throw new Error('the link did not sign in');
      return opened.session;
    }

    async function revise(companyId: string, value: number): Promise<void> {
      const [line] = sampleData(companyId);
      await importLines(side.operator, [{ ...line, raw_value: value }]);
    }

    interface Reader {
      readonly investor: Investor;
      readonly key: string;
      readonly session: string;
    }

    async function openReader(): Promise<Reader> {
      const investor = await side.fixtures.investor();
      const { key } = await side.fixtures.key(investor);
      return { investor, key, session: await signIn({ investorId: investor.id }) };
    }

    /** A company with data that has granted everything to the investor. */
    async function share({ investor, key }: Reader) {
      const { id: companyId } = await side.fixtures.companyOf(investor);
      const { id: requestId } = await side.fixtures.request(key, companyId);
      await side.operator.approveAccessRequest({ id: requestId });
      await importLines(side.operator, sampleData(companyId));
      return { companyId, requestId };
    }

    /** Causes a change of each kind that a stream may report. */
    async function happen({ companyId, requestId }: Awaited<ReturnType<typeof share>>) {
      await revise(companyId, 7);
      await side.operator.revokeAccessRequest({ id: requestId });
    }

    const byKey = (path: string, key: string) => openStream(service.url + path, { key });
    const bySession = (path: string, session: string) =>
      openStream(service.url + path, { headers: { cookie: `${deskCookie}=${session}` } });
    const subscribe = (query: string, key: string) =>
      openStream(`${service.url}/graphql`, { method: 'POST', key, body: { query } });

    type Streams = ReadonlyMap<string, OpenedStream>;

    /** Opens each kind of stream that an investor can have. */
    async function openInvestors({ key, session }: Reader): Promise<Streams> {
      const requests = 'subscription { accessRequestChanged { accessRequest { companyId } } }';
      const data = 'subscription { companyDataChanged { companyId } }';
      return new Map([
        ['REST', await byKey('/v1/events', key)],
        ['GraphQL, requests', await subscribe(requests, key)],
        ['GraphQL, data', await subscribe(data, key)],
        ['tRPC, requests', await byKey('/trpc/accessRequests.onChange', key)],
        ['tRPC, data', await byKey('/trpc/companies.onDataChange', key)],
        ['a page', await bySession('/desk/events', session)],
      ]);
    }

    /**
     * Resolves when each stream has reported the company. The stream of a desk page reports changes without a company.
     */
    const allTell = (streams: Streams, companyId: string) =>
      Promise.all(
        [...streams.values()].map((each) =>
          each.find(({ event, data }) => event === 'change' || data.includes(companyId)),
        ),
      );

    /** Checks that every stream ends with the reason, and reports nothing that happens to the company from now on. */
    async function expectEnd(streams: Streams, happened: Awaited<ReturnType<typeof share>>) {
      const before = new Map([...streams].map(([name, { text }]) => [name, text().length]));
      await happen(happened);
      for (const [name, { ended, text }] of streams) {
        await ended;
        const told = text().slice(before.get(name));
        expect(told, name).not.toContain(happened.companyId);
        expect(told, name).not.toContain('event: change');
        expect(text(), name).toMatch(name === 'a page' ? /event: ended/ : /invalid_api_key/);
      }
    }

    it('ends all streams of a suspended investor before the next event', async () => {
      const reader = await openReader();
      const streams = await openInvestors(reader);
      const shared = await share(reader);
      await allTell(streams, shared.companyId);
      await run('investor', 'suspend', reader.investor.id);
      await expectEnd(streams, shared);
    });

    it('ends all streams of a suspended company before the next event', async () => {
      const reader = await openReader();
      const shared = await share(reader);
      const { companyId } = shared;
      const { key } = await side.fixtures.companyKey(companyId);
      const streams = new Map([
        ['REST', await byKey('/company/v1/events', key)],
        ['a page', await bySession('/desk/events', await signIn({ companyId }))],
      ]);
      await revise(companyId, 5);
      await allTell(streams, companyId);
      await run('company', 'suspend', companyId);
      await expectEnd(streams, shared);
    });

    it('removes a suspended company from investors’ streams, which go on for other companies', async () => {
      const reader = await openReader();
      const [suspended, other] = [await share(reader), await share(reader)];
      const streams = await openInvestors(reader);
      const page = await bySession(`/desk/events?company=${suspended.companyId}`, reader.session);
      await run('company', 'suspend', suspended.companyId);
      // Events of data are only sent during the grant.
      for (const { companyId } of [suspended, other]) await revise(companyId, 7);
      const ofData = new Map([...streams].filter(([name]) => name.endsWith('data')));
      await allTell(ofData, other.companyId);
      for (const { requestId: id } of [suspended, other]) {
        await side.operator.revokeAccessRequest({ id });
      }
      await allTell(streams, other.companyId);
      for (const [name, { text }] of streams) {
        expect(text(), name).not.toContain(suspended.companyId);
      }
      expect(page.text()).not.toContain('event: change');
      for (const { leave } of [...streams.values(), page]) leave();
    });
  },
);
