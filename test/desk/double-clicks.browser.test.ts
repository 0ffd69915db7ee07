// @module-tag full
import { expect, it } from 'vitest';
import type { AccessRequest } from '#core';
import { csrfTokenOf } from '../../desk/security.ts';
import { isFull } from '../support/property-runs.ts';
import { describeDesk, type Fields, signIn, type Visitor } from './desk.ts';

/** The status of a request after each button. */
const outcomes = { approve: 'approved', decline: 'declined' } as const;

/**
 * The pairs of clicks per round: many times the number of decisions that a process makes at once. The browsers run in
 * the same process as the service here. With all pairs at once, the service would be too busy and close slow
 * connections.
 */
const pairsAtOnce = 100;

type Button = keyof typeof outcomes;

describeDesk('simultaneous clicks', (given) => {
  const count = isFull ? 400 : pairsAtOnce;

  it(`cause one decision for each of ${count} requests, and each click gets the true outcome`, async () => {
    const service = given();
    const { fixtures } = service;
    const company = await fixtures.company();
    const contacts: Visitor[] = [];
    while (contacts.length < 8) contacts.push(await signIn(service, company.id));
    const contactOf = (index: number) => contacts[index % contacts.length] as Visitor;
    const requests: AccessRequest[] = [];
    for (let made = 0; made < count; made += 1) {
      const investor = await fixtures.investor();
      await service.operator.addToPortfolio({ investorId: investor.id, companyId: company.id });
      const { key } = await fixtures.key(investor);
      requests.push(await fixtures.request(key, company.id, ['metrics:read']));
    }
    const end = new Date(Date.now() + 86_400_000).toISOString();
    /** Clicks again if the service is too busy. */
    const click = async (visitor: Visitor, request: AccessRequest, button: Button) => {
      const fields: Fields = {
        csrf: csrfTokenOf(visitor.session),
        for_company: company.id,
        decision: button,
        version: request.version,
        ...(button === 'approve' && { scopes: ['metrics:read'], expires_at: end }),
      };
      for (;;) {
        const answer = await visitor.post(`/desk/requests/${request.id}/decide`, fields);
        if (answer.status !== 503) return answer;
      }
    };

    // Half of the pairs click the same button twice. In the others, two people decide differently.
    const clickTwice = async (request: AccessRequest, index: number) => {
      const buttons: [Button, Button] =
        index % 2 === 0 ? ['approve', 'approve'] : ['approve', 'decline'];
      const answers = await Promise.all([
        click(contactOf(index), request, buttons[0]),
        click(contactOf(index % 2 === 0 ? index : index + 1), request, buttons[1]),
      ]);
      return { request, buttons, answers };
    };
    const clicks: Awaited<ReturnType<typeof clickTwice>>[] = [];
    for (let start = 0; start < count; start += pairsAtOnce) {
      const pairs = requests.slice(start, start + pairsAtOnce);
      clicks.push(...(await Promise.all(pairs.map(clickTwice))));
    }

    for (const { request, buttons, answers } of clicks) {
      const { accessRequest, history } = await service.operator.showAccessRequest({
        id: request.id,
      });
      expect(history.map(({ type }) => type)).toEqual([
        'access_request.created',
        `access_request.${accessRequest.status}`,
      ]);
      for (const [index, button] of buttons.entries()) {
        const isTrue = outcomes[button] === accessRequest.status;
        expect(answers[index]?.status).toBe(isTrue ? 303 : 409);
      }
    }
  });
});
