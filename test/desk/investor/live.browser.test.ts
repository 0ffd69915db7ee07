import { describe, expect, it } from 'vitest';
import { importLines, sampleData } from '../../support/fixtures.ts';
import { desktop, hasChromium, openPage } from '../chromium.ts';
import { correction, describeDesk } from '../desk.ts';
import { deskRecords, openPortfolio, openShared } from './portfolios.ts';

describe.skipIf(!hasChromium)('in Chromium', () => {
  describeDesk('the pages of an investor', (given) => {
    async function open({ person }: Awaited<ReturnType<typeof openPortfolio>>, path: string) {
      const { url } = given();
      const options = { viewport: desktop, locale: 'en-GB' };
      const { context, page, complaints } = await openPage(url, person, options);
      let loads = 0;
      page.on('load', () => {
        loads += 1;
      });
      await page.goto(url + path);
      const main = page.locator('main');
      return {
        ...{ context, page, complaints, main },
        loadsOf: () => loads,
        see: (text: string) => main.getByText(text).filter({ visible: true }).first().waitFor(),
      };
    }

    async function expectUndisturbed(pages: readonly Awaited<ReturnType<typeof open>>[]) {
      for (const { context, complaints, loadsOf } of pages) {
        expect(loadsOf()).toBe(1);
        expect(complaints).toEqual([]);
        await context.close();
      }
    }

    it('show a company’s decision without a reload: the request’s page, the list and the company’s page', async () => {
      const service = given();
      const opened = await openPortfolio(service);
      const company = await service.fixtures.companyOf(opened.investor, 'Alder');
      await importLines(service.operator, sampleData(company.id));
      const { id } = await service.fixtures.request(opened.key, company.id);
      const pages = [
        await open(opened, `/desk/requests/${id}`),
        await open(opened, '/desk/requests'),
        await open(opened, `/desk/portfolio/${company.id}`),
      ] as const;
      await service.operator.approveAccessRequest({ id });
      const [ofRequest, ofRequests, ofCompany] = pages;
      await Promise.all([
        ofRequest.see('Approved'),
        ofRequests.see('Approved'),
        ofCompany.see('All signatures are valid'),
      ]);
      await expectUndisturbed(pages);
    });

    it('show a new access status in the portfolio at once, but read new figures only after a reload', async () => {
      const service = given();
      const opened = await openShared(service);
      const birch = await service.fixtures.companyOf(opened.investor, 'Birch');
      await importLines(service.operator, sampleData(birch.id));
      const { id } = await service.fixtures.request(opened.key, birch.id);
      const { context, page, complaints, main, loadsOf } = await open(opened, '/desk/portfolio');
      const rowOf = (name: string) => main.getByRole('row').filter({ hasText: name });
      await rowOf('Alder').getByText('990,000').waitFor();
      await service.operator.approveAccessRequest({ id });
      await rowOf('Birch').getByText('Shared', { exact: true }).waitFor();
      await service.operator.revokeAccessRequest({ id: opened.requestId });
      await rowOf('Alder').getByText('Revoked').waitFor();
      expect(await rowOf('Alder').getByText('990,000').count()).toBe(0);
      expect(await deskRecords(service, opened.company.id)).toHaveLength(1);
      expect(await deskRecords(service, birch.id)).toHaveLength(0);
      expect(loadsOf()).toBe(1);
      await page.getByRole('button', { name: 'Reload' }).click();
      await rowOf('Birch').getByText('990,000').waitFor();
      expect(await deskRecords(service, birch.id)).toHaveLength(1);
      expect(complaints).toEqual([]);
      await context.close();
    });

    it('show new reads, contacts and keys without a reload', async () => {
      const service = given();
      const { operator } = service;
      const opened = await openShared(service);
      const { company } = opened;
      const { id: investorId } = opened.investor;
      const reads = await open(opened, '/desk/activity');
      const people = await open(opened, '/desk/settings');
      const keys = await open(opened, '/desk/settings/keys');
      const log = await open(opened, '/desk/settings/log');
      await service.get(`/v1/companies/${company.id}/sources`, opened.key);
      const email = `new.${investorId.replaceAll('_', '')}@example.com`;
      await operator.addContact({ investorId, email, role: 'viewer' });
      await operator.createApiKey({ investorId, scopes: ['metrics:read'], name: 'Nightly' });
      await Promise.all([
        reads.see('Sources'),
        people.see(email),
        keys.see('Nightly'),
        log.see('Key created'),
      ]);
      await expectUndisturbed([reads, people, keys, log]);
    });

    it('verify each signature in the browser, and show decisions and new data without a reload', async () => {
      const service = given();
      const opened = await openShared(service);
      const { company, requestId } = opened;
      const { context, page, complaints } = await open(opened, `/desk/portfolio/${company.id}`);
      await page.getByText('All signatures are valid').waitFor();
      expect(await page.locator('[data-mark].good').count()).toBe(2);
      await importLines(service.operator, [
        { ...correction(company.id), period: '2026-11-30', raw_value: 777_000 },
      ]);
      await page.locator('figcaption').getByText('$777,000').waitFor();
      await page.getByText('All signatures are valid').waitFor();
      await service.operator.revokeAccessRequest({ id: requestId });
      await page.getByText('The company has revoked the access').first().waitFor();
      expect(await page.getByText('777,000').count()).toBe(0);
      expect(complaints).toEqual([]);
      await context.close();
    });
  });
});
