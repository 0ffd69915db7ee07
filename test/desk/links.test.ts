// @module-tag full
import { beforeAll, expect, it } from 'vitest';
import { companyRoles, investorRoles, type Role } from '#core';
import { isFull } from '../support/property-runs.ts';
import { decode, describeDesk, signInFor, type Visitor } from './desk.ts';
import { furnishBothSides, type Side } from './pages.ts';
import { allowPrivate } from './settings.ts';

const isDone = (address: string): boolean => /[?&](?:done|part)=/.test(address);

/** Follows every link from the first page. Returns each address with its status and its linking page. */
async function followAll({ get, submit }: Visitor) {
  const answers = new Map<string, { readonly from: string; readonly status: number }>();
  const found = [{ from: '', address: '/desk/' }];
  for (const { from, address } of found) {
    if (answers.has(address) || isDone(address)) continue;
    const { status, text, forms, location } = await get(address);
    answers.set(address, { from, status });
    const links = [...text.matchAll(/ href="(\/desk\/[^"#]*)/g)].map(([, link = '']) =>
      decode(link),
    );
    for (const link of [...links, location ?? address])
      found.push({ from: address, address: link });
    // Forms for /review only show a confirmation page, so they change nothing.
    for (const form of forms.filter(({ action }) => action.endsWith('/review'))) {
      const { status } = await submit(form);
      answers.set(`${form.action} of ${address}`, { from: address, status });
    }
  }
  return answers;
}

describeDesk(
  'the links and buttons of every page',
  (given) => {
    let sides: readonly Side[];
    beforeAll(async () => {
      sides = await furnishBothSides(given());
    });

    const people: (readonly [string, number, Role])[] = [
      ...companyRoles.map((role) => ['company', 0, role] as const),
      ...investorRoles.map((role) => ['investor', 1, role] as const),
    ].filter(([, , role]) => isFull || role === 'admin' || role === 'viewer');

    it.each(people)(
      'lead contacts of a %s only to pages that they may open',
      async (_name, index, role) => {
        const { owner } = sides[index] as Side;
        const answers = await followAll(await signInFor(given(), owner, undefined, role));
        expect(answers.size).toBeGreaterThan(20);
        const wrong = [...answers].filter(([, { status }]) => ![200, 303, 422].includes(status));
        expect(wrong).toEqual([]);
      },
    );
  },
  allowPrivate,
);
