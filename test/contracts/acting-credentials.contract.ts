import { beforeAll, describe, expect, test } from 'vitest';
import type { ActingCredential, Company, Investor, Owner, Repositories } from '#core';
import {
  addPair,
  anApiKey,
  anEndpoint,
  anEntry,
  at,
  contactChanges,
  freshDigest,
  freshId,
  keyChanges,
} from './builders.ts';
import { contract } from './contract.ts';

function noting(credential: object, error?: Error) {
  const seen: unknown[] = [];
  const require = (state: unknown): void => {
    seen.push(state);
    if (error !== undefined) throw error;
  };
  return { seen, credential: { ...credential, require } as ActingCredential };
}

export const actingCredentialsContract = contract('the credential of a change', (repositories) => {
  let pair: { readonly investor: Investor; readonly company: Company };
  let ofCompany: Owner;
  beforeAll(async () => {
    pair = await addPair(repositories);
    ofCompany = { companyId: pair.company.id };
  });

  const stateOf = async (credential: object) => {
    const { seen, credential: noted } = noting(credential);
    await repositories.actingCredentials.check(noted);
    await repositories.accessRequests.transact(noted, async () => undefined);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toEqual(seen[1]);
    return seen[0];
  };

  test('is checked with the API key’s current state, even if the key is revoked or its owner is suspended', async () => {
    const { investor } = await addPair(repositories);
    const newKey = anApiKey(investor, { expiresAt: at(9) });
    const { id, scopes } = newKey.key;
    await keyChanges(repositories.apiKeys).add(newKey);
    const owner = { investorId: investor.id };
    const key = { type: 'api_key', id, owner };
    expect(await stateOf(key)).toEqual({ scopes, expiresAt: at(9), revokedAt: null });
    await repositories.directory.suspend(owner, at(5), anEntry());
    expect(await stateOf(key)).toEqual({ scopes, expiresAt: at(9), revokedAt: at(5) });
    await repositories.directory.suspend(owner, null, anEntry());
    await keyChanges(repositories.apiKeys).revoke(id, at(7));
    expect(await stateOf(key)).toEqual({ scopes, expiresAt: at(9), revokedAt: at(7) });
    expect(await stateOf({ ...key, id: freshId('key') })).toBeNull();
  });

  test('is checked with the session’s current state and its contact’s current role', async () => {
    const email = `${freshId('a')}@harbor.example`;
    const contact = { id: freshId('ct'), owner: ofCompany, email, createdAt: at() };
    const contacts = contactChanges(repositories.contacts);
    await contacts.add({ ...contact, role: 'admin' });
    const session = {
      ...{ id: freshId('ds'), device: null, signedInBy: 'link' as const },
      ...{ createdAt: at(), lastSeenAt: at(1), expiresAt: at(2) },
    };
    const newSession = { session, digest: freshDigest() };
    const { deskSessions } = repositories;
    await deskSessions.openForAddress({ newSession, previousDigest: null, email });
    const acting = { type: 'session', id: session.id, contactId: contact.id, owner: ofCompany };
    const state = { lastSeenAt: at(1), expiresAt: at(2) };
    expect(await stateOf(acting)).toEqual({ ...state, role: 'admin' });
    await contacts.saveRole(contact.id, 'viewer');
    expect(await stateOf(acting)).toEqual({ ...state, role: 'viewer' });
    expect(await stateOf({ ...acting, contactId: freshId('ct') })).toBeNull();
    await repositories.directory.suspend(ofCompany, at(5), anEntry());
    expect(await stateOf(acting)).toBeNull();
    await repositories.directory.suspend(ofCompany, null, anEntry());
    await deskSessions.end(session.id, null);
    expect(await stateOf(acting)).toBeNull();
    await contacts.remove(contact.id);
    expect(await stateOf(acting)).toBeNull();
  });

  describe('that is refused', () => {
    const refused = new Error('refused');
    type Change = (ports: Repositories, credential: ActingCredential) => Promise<unknown>;
    const never = () => Promise.reject(new Error('the work began'));
    const withEndpoint =
      (
        change: (ports: Repositories, id: string, credential: ActingCredential) => Promise<unknown>,
      ) =>
      async (ports: Repositories, credential: ActingCredential) => {
        const endpoint = anEndpoint({ owner: ofCompany });
        await ports.webhookEndpoints.add(null, endpoint, 100, anEntry());
        const attempt = change(ports, endpoint.id, credential);
        await attempt.catch(() => undefined);
        expect(await ports.webhookEndpoints.find(endpoint.id)).toEqual(endpoint);
        return attempt;
      };
    const changes: Readonly<Record<string, Change>> = {
      'a check alone': ({ actingCredentials }, credential) => actingCredentials.check(credential),
      'requests for access': ({ accessRequests }, credential) =>
        accessRequests.transact(credential, never),
      'a push': ({ imports }, credential) =>
        imports.transact({ companyId: pair.company.id, startedAt: at(), credential }, never),
      'API keys': ({ apiKeys }, credential) =>
        apiKeys.transact(pair.investor.id, credential, never),
      'company keys': ({ companyKeys }, credential) =>
        companyKeys.transact(pair.company.id, credential, never),
      'the approval rule': ({ approvalRules }, credential) =>
        approvalRules.save(pair.company.id, 2, credential, anEntry()),
      contacts: ({ contacts }, credential) => contacts.transact(ofCompany, credential, never),
      'a new endpoint': async ({ webhookEndpoints }, credential) => {
        const endpoint = anEndpoint({ owner: ofCompany });
        const attempt = webhookEndpoints.add(credential, endpoint, 100, anEntry());
        await attempt.catch(() => undefined);
        expect(await webhookEndpoints.find(endpoint.id)).toBeNull();
        return attempt;
      },
      'the end of an endpoint': withEndpoint(({ webhookEndpoints }, id, credential) =>
        webhookEndpoints.remove(credential, id, at(), anEntry()),
      ),
      'an endpoint that is enabled': withEndpoint(({ webhookEndpoints }, id, credential) =>
        webhookEndpoints.enable(credential, id, anEntry()),
      ),
      "an endpoint's secret": withEndpoint(({ webhookEndpoints }, id, credential) => {
        const endpoint = anEndpoint({ owner: ofCompany, id, secret: 'whsec_BBBB' });
        return webhookEndpoints.saveSecrets(credential, endpoint, 'whsec_AAAA', anEntry());
      }),
      'deliveries again': withEndpoint(({ webhookDeliveries }, id, credential) =>
        webhookDeliveries.replay(credential, id, null, at()),
      ),
    };

    test.each(Object.entries(changes))(
      'prevents every effect of the change: %s',
      async (_, change) => {
        const { seen, credential } = noting(
          { type: 'company_key', id: freshId('ck'), owner: ofCompany },
          refused,
        );
        await expect(change(repositories, credential)).rejects.toBe(refused);
        expect(seen).toEqual([null]);
      },
    );
  });
});
