// @module-tag full
import { expect, it } from 'vitest';
import type { AccessRequest } from '#core';
import { csrfTokenOf } from '../../desk/security.ts';
import { isFull } from '../support/property-runs.ts';
import { describeDesk, type Fields, signIn, type Visitor } from './desk.ts';

/** What becomes of a request, by the button that was pressed. */
const outcomes = { approve: 'approved', decline: 'declined' } as const;

/**
 * Many times what a process decides at a time. The browsers are in the process of the service here: with all at once it is
 * so busy with them that the service cuts off their connections as too slow.
 */
const pairsAtOnce = 100;

type Button = keyof typeof outcomes;

describeDesk('clicks at once', (given) => {
  const count = isFull ? 400 : pairsAtOnce;

  it(`lead to one transition each of ${count} requests, and everyone is told the truth`, async () => {
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
    /** Whoever is told that the service is too busy clicks again. */
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

    // Every second pair of clicks is the same button twice; the others are two people of two minds.
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
